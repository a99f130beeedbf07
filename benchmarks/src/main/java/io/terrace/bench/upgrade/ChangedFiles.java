package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.measure.ResultSheet;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** Files that are deleted, truncated and written after an upgrade began, so that a rollback has something to bring back. */
final class ChangedFiles {
    private static final int FORGOTTEN_SECONDS = 120;
    private static final int FILE_BYTES = 3 << 20;

    /** DataNodes hear of deleted blocks with their heartbeats, of which there is one a second. */
    private static final long DELETED_MS = 5_000;

    private static final Path DELETED = new Path("/kept/deleted");
    private static final Path TRUNCATED = new Path("/kept/truncated");
    private static final Path LATER = new Path("/kept/later");

    private final HaCluster cluster;
    private final ResultSheet sheet;
    private final SeededContent content = new SeededContent(22);

    ChangedFiles(HaCluster cluster, ResultSheet sheet) {
        this.cluster = cluster;
        this.sheet = sheet;
    }

    /** To be called before the upgrade. */
    void write() throws IOException {
        boolean unused = cluster.fs().delete(LATER, false);
        write(DELETED, 1);
        write(TRUNCATED, 2);
    }

    /** To be called while an upgrade is under way that is rolled back; waits until DataNodes have deleted what is gone. */
    void change() throws IOException {
        boolean cut = cluster.fs().truncate(TRUNCATED, FILE_BYTES / 2);
        sheet.progress(cut ? "truncated" : "truncating");
        changeButTruncate();
    }

    /**
     * The same without the truncated file. A stock NameNode does not start any more where a file was truncated during an upgrade
     * that was finalized: it replays the edit as if no upgrade had been under way, and misses the block that was made for it.
     */
    void changeButTruncate() throws IOException {
        boolean gone = cluster.fs().delete(DELETED, false);
        sheet.progress(gone ? "deleted" : "not deleted");
        write(LATER, 3);
        Waits.pause(DELETED_MS);
    }

    /** All is as before the upgrade. */
    void checkRolledBack(String figures) throws IOException {
        sheet.exactly(figures + ".deleted.wrong", wrong(DELETED, 1), 0);
        sheet.exactly(figures + ".truncated.wrong", wrong(TRUNCATED, 2), 0);
        sheet.exactly(figures + ".later", cluster.fs().exists(LATER) ? 1 : 0, 0);
    }

    /** All stays as it was changed. */
    void checkFinalized(String figures) throws IOException {
        sheet.exactly(figures + ".deleted", cluster.fs().exists(DELETED) ? 1 : 0, 0);
        sheet.exactly(figures + ".later.wrong", wrong(LATER, 3), 0);
    }

    /**
     * After a rollback, block numbers are used again, and HDFS refuses to write a block of which a DataNode has one from before:
     * waits until DataNodes have only what the NameNode knows, which takes a full report more than that of their start.
     */
    void awaitForgotten() throws IOException {
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
                unknown +=
                        blocksOf(volume).filter(name -> !known.contains(name)).count();
            }
            return unknown == 0 ? Optional.empty() : Optional.of(unknown + " replicas are unknown to the NameNode");
        }));
    }

    /** Names of block files, but for those that are kept for a rollback. */
    private static Stream<String> blocksOf(java.nio.file.Path volume) throws IOException {
        try (Stream<java.nio.file.Path> tree = Files.walk(volume)) {
            return tree
                    .filter(file -> !file.toString().contains("/previous/"))
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("blk_\\d+"))
                    .toList()
                    .stream();
        } catch (UncheckedIOException moving) {
            throw new IOException("files of " + volume + " are moving", moving);
        }
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
