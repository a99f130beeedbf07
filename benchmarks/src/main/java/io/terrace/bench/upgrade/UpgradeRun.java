package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.jspecify.annotations.Nullable;

/** Puts Terrace on a cluster, upgrades HDFS in all ways that there are, and takes Terrace out. */
final class UpgradeRun {
    private static final int DATANODES = 3;
    private static final long MEMORY_BYTES = 96L << 20;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int HEAP_MB = 192;

    /** From the port of a DataNode's transfers to one at which no connection begins. */
    private static final String PORT_OFFSET = "-12001";

    private static final int BACK_SECONDS = 60;
    private static final int SERVED_SECONDS = 60;
    private static final long SERVED_BYTES = 10 * BLOCK_BYTES;
    private static final long LEAST_BYTES = 1L << 30;

    private final Path dir;
    private final long seed;
    private final @Nullable ClassPath earlier;
    private final ResultSheet sheet;

    /** @param earlier with the jars of an earlier Terrace, which comes first; null for none */
    UpgradeRun(Path dir, long seed, @Nullable ClassPath earlier, ResultSheet sheet) {
        this.dir = dir;
        this.seed = seed;
        this.earlier = earlier;
        this.sheet = sheet;
    }

    void run() throws IOException {
        ClusterSpec spec = ClusterSpec.of(DATANODES, MEMORY_BYTES)
                .withTerrace(false)
                .withBlockBytes(BLOCK_BYTES)
                .withHeapMb(HEAP_MB)
                .withProperties(Map.of(
                        SteadyLoad.PORT_OFFSET_KEY,
                        PORT_OFFSET,
                        "dfs.client.datanode-restart.timeout",
                        "10",
                        // With the second full report the NameNode has replicas deleted that it does not know.
                        "dfs.blockreport.intervalMsec",
                        "10000",
                        // The standby makes the image that is rolled back to when it looks next.
                        "dfs.namenode.checkpoint.check.period",
                        "2"));
        try (HaCluster cluster = HaCluster.up(dir.resolve("cluster"), spec)) {
            Leftovers leftovers = new Leftovers(cluster, dir.resolve("with-terrace"));
            SteadyLoad load = new SteadyLoad(cluster, seed);
            try (load) {
                sheet.section("Terrace comes, DataNodes first");
                putOn(cluster, earlier);
                served(cluster, "on", earlier == null);
                works(load);
                use(cluster);
                if (earlier != null) {
                    sheet.section("This version of Terrace follows the earlier one");
                    follow(cluster, earlier);
                    works(load);
                }
                sheet.atLeast("upgrade.on.attributes", leftovers.attributes(), 4);
                RollingUpgrade rolling = new RollingUpgrade(cluster, load, this::restart, sheet);
                sheet.section("A rolling upgrade of HDFS that is finalized");
                rolling.finalized();
                works(load);
                served(cluster, "finalized", true);
                sheet.section("A rolling upgrade of HDFS that is rolled back");
                rolling.rolledBack();
                works(load);
                served(cluster, "rolledback", true);
                OfflineUpgrade offline = new OfflineUpgrade(cluster, load, sheet);
                sheet.section("An upgrade of all daemons at once that is finalized");
                offline.finalized();
                works(load);
                served(cluster, "offline.finalized", true);
                sheet.section("An upgrade of all daemons at once that is rolled back");
                offline.rolledBack();
                works(load);
                served(cluster, "offline.rolledback", true);
                sheet.section("Terrace goes, NameNodes first");
                leftovers.keepConfigurations();
                takeOut(cluster);
                works(load);
                sheet.atLeast("upgrade.left.before", leftovers.files(), 1);
                leftovers.remove();
                works(load);
                sheet.exactly("upgrade.left.attributes", leftovers.attributes(), 0);
                sheet.exactly("upgrade.left.files", leftovers.files(), 0);
                figures(load);
            }
            sheet.section("Stock daemons start from what is left");
            cluster.stopAllButJournalNodes();
            cluster.start();
            sheet.exactly("upgrade.after.bytes.wrong", load.check(), 0);
            sheet.exactly(
                    "upgrade.after.blocks.missing", cluster.fs().getClient().getMissingBlocksCount(), 0);
        }
    }

    private void figures(SteadyLoad load) throws IOException {
        if (!load.firstFailure().isEmpty()) {
            sheet.progress("first failure: " + load.firstFailure());
        }
        sheet.atLeast("upgrade.bytes.verified", load.bytes(), LEAST_BYTES);
        sheet.exactly("upgrade.bytes.wrong", load.wrong() + load.check(), 0);
        sheet.exactly("upgrade.calls.failed", load.failed(), 0);
    }

    private void putOn(HaCluster cluster, @Nullable ClassPath jars) throws IOException {
        for (int i = 1; i <= DATANODES; i++) {
            cluster.configure(cluster.datanode(i), true);
            change(cluster, i, jars);
        }
        for (int i = 0; i < 2; i++) {
            cluster.useJars(cluster.namenode(i), jars);
        }
        nameNodes(cluster, true);
    }

    /** DataNodes first, then the NameNodes, then a DataNode back and forth. */
    private void follow(HaCluster cluster, ClassPath before) throws IOException {
        for (int i = 1; i <= DATANODES; i++) {
            change(cluster, i, null);
        }
        served(cluster, "datanodes.first", true);
        for (int i = 0; i < 2; i++) {
            cluster.useJars(cluster.namenode(i), null);
        }
        nameNodes(cluster, true);
        served(cluster, "followed", true);
        change(cluster, 1, before);
        served(cluster, "datanode.back", false);
        change(cluster, 1, null);
    }

    /** @param jars null for this version */
    private void change(HaCluster cluster, int datanode, @Nullable ClassPath jars) throws IOException {
        cluster.useJars(cluster.datanode(datanode), jars);
        restart(cluster, cluster.datanode(datanode));
    }

    private void takeOut(HaCluster cluster) throws IOException {
        nameNodes(cluster, false);
        for (int i = 1; i <= DATANODES; i++) {
            cluster.configure(cluster.datanode(i), false);
            restart(cluster, cluster.datanode(i));
        }
    }

    /** The standby, a failover, the other one. */
    private void nameNodes(HaCluster cluster, boolean terrace) throws IOException {
        for (int i = 0; i < 2; i++) {
            int standby = 1 - cluster.active();
            cluster.configure(cluster.namenode(standby), terrace);
            cluster.stop(cluster.namenode(standby));
            cluster.startNameNode(standby);
            cluster.awaitStandby(standby);
            cluster.failOver();
            sheet.progress("namenode-" + standby + (terrace ? " has Terrace" : " is stock") + " and is active");
        }
    }

    /** Ends a DataNode, starts it again and waits until the active NameNode has heard of it. */
    private void restart(HaCluster cluster, Daemon datanode) throws IOException {
        int port = 0;
        for (int i = 1; i <= DATANODES; i++) {
            port = cluster.datanode(i).name().equals(datanode.name()) ? cluster.transferPort(i) : port;
        }
        int known = port;
        cluster.stop(datanode);
        long startMs = System.currentTimeMillis();
        cluster.start(datanode);
        require(Waits.untilRight(BACK_SECONDS, () -> {
            boolean back = Arrays.stream(cluster.fs().getDataNodeStats(DatanodeReportType.LIVE))
                    .filter(one -> one.getXferPort() == known)
                    .anyMatch(one -> isHeardAfter(one, startMs));
            return back ? Optional.empty() : Optional.of(datanode.name() + " is not back");
        }));
        cluster.awaitStandby(1 - cluster.active());
        sheet.progress(datanode.name() + " is back");
    }

    private static boolean isHeardAfter(DatanodeInfo datanode, long ms) {
        return datanode.getLastUpdate() > ms && datanode.getRemaining() > 0;
    }

    /** No client has stopped: its calls that failed would not be counted then. */
    private static void works(SteadyLoad load) throws IOException {
        require(load.progress(SERVED_SECONDS));
    }

    /**
     * All DataNodes report, the client with Terrace reads copies that its reads brought into memory, and the one that writes does so
     * over the channel.
     *
     * @param alike whether all DataNodes have this version, whose client may write over the channel to no other
     */
    private void served(HaCluster cluster, String name, boolean alike) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            require(Waits.untilRight(SERVED_SECONDS, () -> {
                // The service also knows those that have become stock, or are gone.
                long serving = placement.nodes().stream()
                        .filter(node -> node.getLive() && node.getServing())
                        .count();
                return serving == DATANODES ? Optional.empty() : Optional.of(serving + " DataNodes are live and serve");
            }));
        }
        long read = SteadyLoad.memoryBytes();
        long written = SteadyLoad.channelBytes();
        Optional<String> fault = Waits.untilRight(SERVED_SECONDS, () -> {
            if (SteadyLoad.memoryBytes() - read < SERVED_BYTES) {
                return Optional.of("clients read too little from memory");
            }
            return alike && SteadyLoad.channelBytes() - written < SERVED_BYTES
                    ? Optional.of("the client writes too little over the channel")
                    : Optional.empty();
        });
        fault.ifPresent(sheet::progress);
        sheet.atLeast("upgrade." + name + ".memory.bytes", SteadyLoad.memoryBytes() - read, SERVED_BYTES);
        String channel = "upgrade." + name + ".channel.bytes";
        if (alike) {
            sheet.atLeast(channel, SteadyLoad.channelBytes() - written, SERVED_BYTES);
        } else {
            sheet.note(channel, SteadyLoad.channelBytes() - written, "bytes");
        }
    }

    /** Leaves all that an operator can leave in the namespace. */
    private static void use(HaCluster cluster) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            placement.apply("policy: lru\n");
            placement.turn(false);
            placement.turn(true);
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("user.terrace.place", "prefer");
        attributes.put("trusted.terrace.keep", "7d");
        for (Map.Entry<String, String> one : attributes.entrySet()) {
            cluster.fs()
                    .setXAttr(
                            new org.apache.hadoop.fs.Path("/data"),
                            one.getKey(),
                            one.getValue().getBytes(StandardCharsets.UTF_8));
        }
    }

    static void require(Optional<String> fault) throws IOException {
        if (fault.isPresent()) {
            throw new IOException(fault.get());
        }
    }
}
