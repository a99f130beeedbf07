package io.terrace.bench.page;

import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Files whose names a careless page would run, cut or turn around. All are read, so that they are hot. */
final class OddFiles {
    private static final int BYTES = 1 << 20;
    private static final int READS = 3;

    /** HDFS takes no longer name, and the page no longer path. */
    private static final int LONGEST_NAME = 255;

    private static final int LONGEST_PATH = 4096;

    private final List<String> names = List.of(
            "/plain/part-00000",
            "/<script>document.title='run'<",
            "/<img src=x onerror=document.title='run'>",
            "/\"quoted\" 'twice' &amp; &lt;b&gt;",
            "/two\nlines\tand a tab",
            "/right\u202eto left\u2066 and back\u2069",
            "/\u4e2d\u6587 \u00e4\u00f6\u00fc \ud83d\ude80",
            "/%3Cescaped%3E+plus?query=1#fragment",
            longest());

    private static String longest() {
        StringBuilder path = new StringBuilder();
        while (path.length() + LONGEST_NAME < LONGEST_PATH) {
            path.append('/').append("n".repeat(LONGEST_NAME));
        }
        return path.toString();
    }

    List<String> names() {
        return names;
    }

    void store(LocalCluster cluster) throws IOException {
        try (FileSystem fs = FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.conf())) {
            for (String name : names) {
                Path file = new Path(null, null, name);
                try (OutputStream out = fs.create(file)) {
                    out.write(new byte[BYTES]);
                }
                for (int i = 0; i < READS; i++) {
                    try (InputStream in = fs.open(file)) {
                        in.transferTo(OutputStream.nullOutputStream());
                    }
                }
            }
        }
    }
}
