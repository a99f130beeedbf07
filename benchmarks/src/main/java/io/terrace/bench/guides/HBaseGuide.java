package io.terrace.bench.guides;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.apps.HBaseDaemons;
import io.terrace.bench.apps.ServedBytes;
import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** HBase with a table {@code users}, set up by docs/guides/hbase.md. */
final class HBaseGuide implements GuidedApplication {
    private static final String TABLE = "users";
    private static final int ROWS = 20_000;
    private static final int LIMIT_SECONDS = 300;
    private static final long REPORT_MS = 3_000;

    private final LocalCluster cluster;
    private final HBaseDaemons daemons;
    private final GuideInput file;

    /** Starts HBase, writes the table, and starts the region server anew, so that the table is in files. */
    HBaseGuide(GuidePage page, LocalCluster cluster, Path root, Path dir) throws IOException, InterruptedException {
        this.cluster = cluster;
        GuideSite site = GuideSite.of(cluster, dir);
        String environment = site.text(String.join("", page.contents("hbase-env.sh")));
        String classPath = new Shell(Files.createDirectories(dir), dir.resolve("hbase-env.log"))
                .output(environment + "\nprintf %s \"$HBASE_CLASSPATH\"");
        ClientVariant guided = new ClientVariant("guide", site.properties(page.properties("hdfs-site.xml")));
        this.daemons = new HBaseDaemons(
                cluster, dir, new ClassPath(ApplicationJars.stock("hbase", root)).text() + ":" + classPath);
        boolean ready = false;
        try {
            daemons.startRegionServer(guided);
            evaluate("load", "sequentialWrite");
            daemons.stopRegionServer();
            daemons.startRegionServer(guided);
            this.file = GuideInput.largest(cluster, "/hbase/data/default/" + TABLE);
            ready = true;
        } finally {
            if (!ready) {
                daemons.close();
            }
        }
    }

    @Override
    public Map<String, String> variables() {
        return Map.of("HFILE", file.path(), "REGION_SERVER", daemons.regionServerPage());
    }

    @Override
    public double work() throws IOException {
        ServedBytes before = ServedBytes.of(cluster);
        evaluate("randomread", "randomRead");
        JavaProcess.pause(REPORT_MS);
        return ServedBytes.of(cluster).since(before).share();
    }

    private void evaluate(String name, String command) throws IOException {
        String unused = daemons.evaluate(
                name, LIMIT_SECONDS, List.of("--rows=" + ROWS, "--presplit=1", "--table=" + TABLE, command, "1"));
    }

    @Override
    public void close() throws IOException {
        daemons.close();
    }
}
