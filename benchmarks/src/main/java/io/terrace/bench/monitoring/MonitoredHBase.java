package io.terrace.bench.monitoring;

import io.terrace.bench.apps.ApplicationJars;
import io.terrace.bench.apps.HBaseDaemons;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/** An HBase whose region server reads a table from memory through Terrace. */
final class MonitoredHBase implements Closeable {
    private static final String TABLE = "monitored";
    private static final int ROWS = 5_000;
    private static final int LIMIT_SECONDS = 300;

    private final HBaseDaemons daemons;

    /** Starts HBase, writes the table, promotes it, and starts the region server anew, so that the table is in files. */
    MonitoredHBase(LocalCluster cluster, Path root, Path dir) throws IOException {
        daemons = new HBaseDaemons(cluster, dir, ApplicationJars.classPath("hbase", root));
        boolean ready = false;
        try {
            ClientVariant variant = ClientVariant.local(cluster);
            daemons.startRegionServer(variant);
            evaluate("load", "sequentialWrite");
            daemons.stopRegionServer();
            promote(cluster);
            daemons.startRegionServer(variant);
            ready = true;
        } finally {
            if (!ready) {
                daemons.close();
            }
        }
    }

    /** By orders of the service, so that its figures and the DataNodes' agree; pins by cacheadmin are not its orders. */
    private static void promote(LocalCluster cluster) throws IOException {
        try (FileSystem fs = FileSystem.newInstance(cluster.confStock());
                PlacementAdmin admin = new PlacementAdmin(cluster)) {
            RemoteIterator<LocatedFileStatus> files =
                    fs.listFiles(new org.apache.hadoop.fs.Path("/hbase/data/default/" + TABLE), true);
            while (files.hasNext()) {
                LocatedFileStatus file = files.next();
                if (file.getLen() > 0) {
                    int unused = admin.promote(file.getPath());
                }
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
