package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.measure.ResultSheet;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.RollingUpgradeInfo;

/** Rolling upgrades of HDFS, which keep what was before, on a cluster with Terrace. */
final class HadoopUpgrade {
    private static final int PREPARED_SECONDS = 120;
    private static final int FORGOTTEN_SECONDS = 120;
    private static final int FILE_BYTES = 3 << 20;

    /** DataNodes hear of deleted blocks with their heartbeats, of which there is one a second. */
    private static final long DELETED_MS = 5_000;

    private static final Path DELETED = new Path("/kept/deleted");
    private static final Path TRUNCATED = new Path("/kept/truncated");
    private static final Path LATER = new Path("/kept/later");

    private final HaCluster cluster;
    private final SteadyLoad load;
    private final Restart restart;
    private final ResultSheet sheet;
    private final SeededContent content = new SeededContent(22);

    /** Ends a DataNode, starts it again and waits until it is known. */
    interface Restart {
        void of(HaCluster cluster, Daemon datanode) throws IOException;
    }

    HadoopUpgrade(HaCluster cluster, SteadyLoad load, Restart restart, ResultSheet sheet) {
        this.cluster = cluster;
        this.load = load;
        this.restart = restart;
        this.sheet = sheet;
    }

    /** All daemons restart between prepare and finalize; clients go on. */
    void finalized() throws IOException {
        prepare();
        for (int i = 0; i < 2; i++) {
            int standby = 1 - cluster.active();
            cluster.stop(cluster.namenode(standby));
            cluster.startNameNode(standby);
            cluster.awaitStandby(standby);
            cluster.failOver(false);
        }
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            restart.of(cluster, cluster.datanode(i));
        }
        RollingUpgradeInfo info = cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
        sheet.exactly("upgrade.finalized", info.isFinalized() ? 1 : 0, 1);
    }

    /** What was before prepare is there again, with every byte, and nothing else. */
    void rolledBack() throws IOException {
        write(DELETED, 1);
        write(TRUNCATED, 2);
        prepare();
        boolean gone = cluster.fs().delete(DELETED, false);
        boolean cut = cluster.fs().truncate(TRUNCATED, FILE_BYTES / 2);
        write(LATER, 3);
        Waits.pause(DELETED_MS);
        load.pause();
        try {
            rollBack();
            awaitForgotten();
            sheet.progress("before: " + (gone ? "deleted" : "not deleted") + ", " + (cut ? "truncated" : "truncating"));
            sheet.exactly("upgrade.rolledback.deleted.wrong", wrong(DELETED, 1), 0);
            sheet.exactly("upgrade.rolledback.truncated.wrong", wrong(TRUNCATED, 2), 0);
            sheet.exactly("upgrade.rolledback.later", cluster.fs().exists(LATER) ? 1 : 0, 0);
            sheet.exactly("upgrade.rolledback.wrong", load.check(), 0);
        } finally {
            load.resume();
        }
    }

    private void prepare() throws IOException {
        RollingUpgradeInfo unused = cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
        UpgradeRun.require(Waits.untilRight(PREPARED_SECONDS, () -> {
            RollingUpgradeInfo info = cluster.fs().rollingUpgrade(RollingUpgradeAction.QUERY);
            return info != null && info.createdRollbackImages()
                    ? Optional.empty()
                    : Optional.of("there is no image to roll back to");
        }));
    }

    private void rollBack() throws IOException {
        for (Daemon daemon : cluster.daemons()) {
            if (!daemon.name().startsWith("journalnode")) {
                cluster.stop(daemon);
            }
        }
        int first = cluster.active();
        cluster.startNameNode(first, "-rollingUpgrade rollback");
        cluster.activate(first);
        cluster.format(1 - first, "-bootstrapStandby", "-force");
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            cluster.start(cluster.datanode(i), "-rollback");
        }
        cluster.start();
    }

    /**
     * After a rollback, block numbers are used again, and HDFS refuses to write a block of which a DataNode has one from before:
     * waits until DataNodes have only what the NameNode knows, which takes a full report more than that of their start.
     */
    private void awaitForgotten() throws IOException {
        Set<String> known = new HashSet<>();
        RemoteIterator<LocatedFileStatus> files = cluster.fs().listFiles(new Path("/"), true);
        while (files.hasNext()) {
            LocatedFileStatus file = files.next();
            LocatedBlocks blocks = cluster.fs()
                    .getClient()
                    .getLocatedBlocks(file.getPath().toUri().getPath(), 0);
            blocks.getLocatedBlocks()
                    .forEach(block -> known.add(block.getBlock().getBlockName()));
        }
        UpgradeRun.require(Waits.untilRight(FORGOTTEN_SECONDS, () -> {
            long unknown = 0;
            for (int i = 1; i <= cluster.spec().datanodes(); i++) {
                java.nio.file.Path volume =
                        cluster.layout().home(ClusterLayout.datanode(i)).resolve("data/current");
                try (Stream<java.nio.file.Path> tree = java.nio.file.Files.walk(volume)) {
                    unknown += tree.map(file -> file.getFileName().toString())
                            .filter(name -> name.matches("blk_\\d+") && !known.contains(name))
                            .count();
                } catch (UncheckedIOException moving) {
                    throw new IOException("files of " + volume + " are moving", moving);
                }
            }
            return unknown == 0 ? Optional.empty() : Optional.of(unknown + " replicas are unknown to the NameNode");
        }));
    }

    private void write(Path file, int version) throws IOException {
        byte[] bytes = new byte[FILE_BYTES];
        content.fill(0, version, 0, bytes, FILE_BYTES);
        try (OutputStream out = cluster.fs().create(file, true)) {
            out.write(bytes);
        }
    }

    /** How many bytes are wrong or missing, or beyond what was written. */
    private long wrong(Path file, int version) throws IOException {
        byte[] expected = new byte[FILE_BYTES];
        content.fill(0, version, 0, expected, FILE_BYTES);
        long length;
        try {
            length = cluster.fs().getFileStatus(file).getLen();
        } catch (FileNotFoundException absent) {
            return FILE_BYTES;
        }
        if (length != FILE_BYTES) {
            return Math.abs(length - FILE_BYTES);
        }
        byte[] actual = new byte[FILE_BYTES];
        try (FSDataInputStream in = cluster.fs().open(file)) {
            in.readFully(0, actual);
        }
        return Arrays.equals(expected, actual) ? 0 : FILE_BYTES;
    }
}
