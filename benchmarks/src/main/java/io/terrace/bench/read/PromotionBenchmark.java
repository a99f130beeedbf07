package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.conf.TerraceSettings;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/** How soon a block that became hot is served from memory, and how fast it is copied there. */
public final class PromotionBenchmark implements Closeable {
    private static final int READ_BYTES = 4 << 10;
    private static final long SMALL_BYTES = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int POLL_MS = 5;

    private final LocalCluster cluster;
    private final ResultSheet scores;
    private final Client terrace;
    private final PlacementAdmin admin;
    private final BenchFiles files;

    public PromotionBenchmark(LocalCluster cluster, long seed, ResultSheet scores) throws IOException {
        this.cluster = cluster;
        this.scores = scores;
        this.terrace = new ClientVariant("promoted", Map.of()).open(cluster.conf());
        this.admin = new PlacementAdmin(cluster);
        this.files = new BenchFiles((DistributedFileSystem) terrace.fs(), seed);
    }

    /**
     * Measures both.
     *
     * @param delays files that become hot one after the other
     * @param copies files of one block each that are copied
     * @param copyBytes length of such a file
     */
    public void run(int delays, int copies, long copyBytes) throws IOException {
        delay(files.store("warm", delays, SMALL_BYTES));
        copy(files.store("copied", copies, copyBytes), copyBytes);
    }

    /** The time includes the copy of a block of one megabyte: a few milliseconds. */
    private void delay(List<Path> warm) throws IOException {
        scores.section("From the read that crosses the threshold to the first read served from memory");
        double[] seconds = new double[warm.size()];
        for (int i = 0; i < seconds.length; i++) {
            seconds[i] = delay(warm.get(i));
        }
        scores.note("promote.delay_s.worst", DoubleStream.of(seconds).max().orElseThrow(), "s");
        scores.below("promote.delay_s", PairedRatios.medianOf(seconds), 2);
    }

    private double delay(Path file) throws IOException {
        int threshold = TerraceSettings.PLACEMENT_IDECIDER_THRESHOLD.get(cluster.conf());
        byte[] buffer = new byte[READ_BYTES];
        try (FSDataInputStream in = terrace.fs().open(file)) {
            for (int i = 0; i <= threshold; i++) {
                in.readFully(0, buffer, 0, READ_BYTES);
            }
            long crossedNs = System.nanoTime();
            while (granted(in) == 0) {
                if (System.nanoTime() - crossedNs > LIMIT.toNanos()) {
                    throw new IOException(file + " was not promoted within " + LIMIT.toSeconds() + " s");
                }
                sleep();
                in.readFully(0, buffer, 0, READ_BYTES);
            }
            return (System.nanoTime() - crossedNs) / 1e9;
        }
    }

    private static long granted(FSDataInputStream in) throws IOException {
        return ((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead();
    }

    /** Copies by the DataNode, timed by itself, against plain copies of block files to tmpfs, in turns. */
    private void copy(List<Path> copied, long copyBytes) throws IOException {
        scores.section("Copying blocks of " + (copyBytes >> 20) + " MB into memory, move budget off");
        List<java.nio.file.Path> blocks = blockFiles(copyBytes);
        double[] plain = new double[copied.size()];
        double[] ours = new double[copied.size()];
        for (int i = 0; i < plain.length; i++) {
            plain[i] = plainCopyMs(blocks.get(i % blocks.size()));
            long before = promotedMs();
            long bytesBefore = promotedBytes();
            admin.promote(copied.get(i));
            awaitPromoted(bytesBefore + copyBytes);
            ours[i] = Math.max(1, promotedMs() - before);
        }
        scores.note("promote.copy.plain_gb_s", copyBytes / 1e6 / PairedRatios.medianOf(plain), "GB/s");
        scores.note("promote.copy.terrace_gb_s", copyBytes / 1e6 / PairedRatios.medianOf(ours), "GB/s");
        scores.atLeast("promote.copy", new PairedRatios(plain, ours).median(), 0.5);
    }

    private long promotedMs() throws IOException {
        return figure("memory.promoted.milliseconds");
    }

    private long promotedBytes() throws IOException {
        return figure("memory.promoted.bytes");
    }

    private long figure(String id) throws IOException {
        return admin.nodes().stream()
                .mapToLong(node -> PlacementAdmin.figures(node).getOrDefault(id, 0L))
                .sum();
    }

    private void awaitPromoted(long bytes) throws IOException {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (promotedBytes() < bytes) {
            if (System.nanoTime() > deadlineNs) {
                throw new IOException("no copy within " + LIMIT.toSeconds() + " s; see the DataNode's log");
            }
            sleep();
        }
    }

    /** Block files of the given length on the DataNode's disk. */
    private List<java.nio.file.Path> blockFiles(long lengthBytes) throws IOException {
        java.nio.file.Path data =
                cluster.layout().home(cluster.datanode(1).name()).resolve("data");
        try (Stream<java.nio.file.Path> tree = Files.walk(data)) {
            return new ArrayList<>(
                    tree.filter(file -> file.getFileName().toString().matches("blk_[0-9]+"))
                            .filter(file -> file.toFile().length() == lengthBytes)
                            .toList());
        }
    }

    private double plainCopyMs(java.nio.file.Path block) throws IOException {
        java.nio.file.Path target = cluster.layout().memory().resolve("plain-copy");
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        long startNs = System.nanoTime();
        try (FileChannel from = FileChannel.open(block, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                to.write(buffer);
                buffer.clear();
            }
        }
        double ms = (System.nanoTime() - startNs) / 1e6;
        Files.delete(target);
        return ms;
    }

    private static void sleep() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        admin.close();
        terrace.close();
    }
}
