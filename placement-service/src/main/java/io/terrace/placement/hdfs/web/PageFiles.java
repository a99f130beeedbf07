package io.terrace.placement.hdfs.web;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import javax.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/** The page's files, read from the jar once. */
final class PageFiles {

    private static final String HTML = "text/html; charset=utf-8";
    private static final String CSS = "text/css; charset=utf-8";
    private static final String JAVASCRIPT = "text/javascript; charset=utf-8";

    private static final Map<String, String> TYPES = Map.of(
            "index.html", HTML,
            "page.css", CSS,
            "page.js", JAVASCRIPT,
            "charts.js", JAVASCRIPT,
            "elements.js", JAVASCRIPT,
            "questions.js", JAVASCRIPT,
            "uPlot.min.css", CSS,
            "uPlot.iife.min.js", JAVASCRIPT);

    private final Map<String, WebAnswer> files = new HashMap<>();

    /** @throws IOException when the jar lacks one of them */
    PageFiles() throws IOException {
        for (Map.Entry<String, String> type : TYPES.entrySet()) {
            try (InputStream in = PageFiles.class.getResourceAsStream("page/" + type.getKey())) {
                if (in == null) {
                    throw new FileNotFoundException(
                            "page/" + type.getKey() + " is not in the jar of the placement service; build it anew");
                }
                files.put(
                        "/" + type.getKey(),
                        WebAnswer.of(HttpServletResponse.SC_OK, type.getValue(), in.readAllBytes()));
            }
        }
    }

    /** @param path below the page's own, with the leading slash */
    @Nullable
    WebAnswer orNull(String path) {
        return files.get(path.equals("/") ? "/index.html" : path);
    }
}
