package io.terrace.placement.hdfs.web;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Answers GET below {@value #PATH}, and nothing else: the page's files, and its data. Made by the web server, so it finds
 * what it needs in the server's attributes.
 */
public final class PageServlet extends HttpServlet {

    static final String PATH = "/terrace/";
    static final String API = "terrace.placement.page.api";
    static final String FILES = "terrace.placement.page.files";

    private static final String DATA = "/api/";
    private static final long serialVersionUID = 1L;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
                        + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
        response.setHeader("X-Content-Type-Options", "nosniff");
        // The address of a page may have a token.
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        if (!request.getMethod().equals("GET")) {
            response.setHeader("Allow", "GET");
            WebAnswer.error(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "only GET is answered here")
                    .send(request, response);
            return;
        }
        String path = request.getPathInfo();
        if (path == null) {
            String query = request.getQueryString();
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader("Location", query == null ? PATH : PATH + "?" + query);
            return;
        }
        answer(path, request).send(request, response);
    }

    private WebAnswer answer(String path, HttpServletRequest request) {
        if (path.startsWith(DATA)) {
            return attribute(API) instanceof PageApi api
                    ? api.answer(path.substring(DATA.length()), getServletContext(), request)
                    : WebAnswer.error(
                            HttpServletResponse.SC_SERVICE_UNAVAILABLE, "Terrace's placement service is not running");
        }
        WebAnswer file = attribute(FILES) instanceof PageFiles files ? files.orNull(path) : null;
        return file == null ? WebAnswer.error(HttpServletResponse.SC_NOT_FOUND, "there is no such file") : file;
    }

    private @Nullable Object attribute(String name) {
        return getServletContext().getAttribute(name);
    }
}
