package io.terrace.bench.monitoring;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.apps.HBaseDaemons;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An HBase whose region server reads a table from memory through Terrace. */
final class HBaseInstance implements Closeable {
    private static final String TABLE = "monitored";
    private static final int ROWS = 5_000;
    private static final int LIMIT_SECONDS = 300;

    private final HBaseDaemons daemons;

    /** Starts HBase, writes the table, starts the region server anew, so that the table is in files, and reads it. */
    HBaseInstance(LocalCluster cluster, Path root, Path dir) throws IOException {
        daemons = new HBaseDaemons(cluster, dir, ApplicationJars.classPath("hbase", root));
        boolean ready = false;
        try {
            ClientVariant variant = ClientVariant.local(cluster);
            daemons.startRegionServer(variant);
            evaluate("load", "sequentialWrite");
            daemons.stopRegionServer();
            daemons.startRegionServer(variant);
            // The policy promotes what is read. Pins would not be orders of the service, and not in its figures.
            read();
            ready = true;
        } finally {
            if (!ready) {
                daemons.close();
            }
        }
    }

    /** Reads rows at random. */
    void read() throws IOException {
        evaluate("read", "randomRead");
    }

    private void evaluate(String name, String command) throws IOException {
        String unused = daemons.evaluate(
                name, LIMIT_SECONDS, List.of("--rows=" + ROWS, "--presplit=1", "--table=" + TABLE, command, "1"));
    }

    /** Host and port of the region server's pages. */
    String page() {
        return daemons.regionServerPage();
    }

    ProcessHandle regionServer() {
        return daemons.regionServer();
    }

    @Override
    public void close() throws IOException {
        daemons.close();
    }
}
