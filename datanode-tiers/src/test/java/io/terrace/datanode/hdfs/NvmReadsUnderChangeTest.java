package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Readers of NVM on the DataNode's host, while the replicas are appended to, truncated, deleted and written again, moved to other
 * volumes and back, and copied to memory, in random order. A file is always a prefix of one known sequence of bytes, so every
 * byte read can be checked whatever version it is of.
 */
@Tag("cluster")
class NvmReadsUnderChangeTest {

    private static final int FILES = 4;
    private static final int LEAST_BYTES = 250_000;
    private static final int APPEND_BYTES = 9_001;
    private static final int MOST_BYTES = TerraceCluster.BLOCK_BYTES;
    private static final int CHANGES = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<byte[]> contents = new ArrayList<>();
    private final List<Path> paths = new ArrayList<>();
    private final AtomicIntegerArray lengths = new AtomicIntegerArray(FILES);
    /** Grows when a file is deleted and when it is there again: its readers may fail in between. */
    private final AtomicIntegerArray deletions = new AtomicIntegerArray(FILES);

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong reads = new AtomicLong();

    private TerraceCluster cluster;
    private TieredVolumes volumes;

    @Test
    void everyByte_isRightWhateverHappensToTheReplicas() throws Exception {
        long seed = System.nanoTime();
        long granted = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_NVM_BYTES);
        ExecutorService readers = Executors.newFixedThreadPool(4);
        cluster = TerraceCluster.start(1, TerraceCluster.configuration(), TieredVolumes.TYPES);
        volumes = new TieredVolumes(cluster);
        try (FileSystem accessor = cluster.grantedClient();
                FileSystem fileSystem = cluster.memoryFirstClient()) {
            cluster.fs().mkdirs(new Path("/nvm"));
            cluster.fs().setStoragePolicy(new Path("/nvm"), "ALL_NVDIMM");
            for (int i = 0; i < FILES; i++) {
                contents.add(TerraceCluster.contents("changing" + i, MOST_BYTES));
                paths.add(new Path("/nvm/changing" + i));
                lengths.set(i, LEAST_BYTES);
                write(i);
            }
            List<Future<?>> running = List.of(
                    readers.submit(() -> read(accessor, new Random(seed + 1), seed)),
                    readers.submit(() -> read(accessor, new Random(seed + 2), seed)),
                    readers.submit(() -> read(fileSystem, new Random(seed + 3), seed)),
                    readers.submit(() -> read(fileSystem, new Random(seed + 4), seed)));
            change(new Random(seed), running, seed);
            over.set(true);
            for (Future<?> reader : running) {
                reader.get(60, TimeUnit.SECONDS);
            }
            assertThat(ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_NVM_BYTES) - granted)
                    .as("seed %d", seed)
                    .isGreaterThan(10L * LEAST_BYTES);
            for (int i = 0; i < FILES; i++) {
                assertThat(cluster.read(paths.get(i)))
                        .as("seed %d", seed)
                        .isEqualTo(Arrays.copyOf(contents.get(i), lengths.get(i)));
                cluster.fs().delete(paths.get(i), false);
            }
            Awaitility.await()
                    .alias("no link is left")
                    .atMost(Duration.ofSeconds(80))
                    .until(() -> cluster.figure(0, Metric.NVM_EXTENTS) == 0);
            assertThat(cluster.nvmLocalDir(0).resolve("links")).isEmptyDirectory();
        } finally {
            over.set(true);
            readers.shutdownNow();
            cluster.close();
        }
    }

    private void write(int file) throws IOException {
        try (FSDataOutputStream out = cluster.fs().create(paths.get(file), (short) 1)) {
            out.write(contents.get(file), 0, lengths.get(file));
        }
    }

    private void change(Random random, List<Future<?>> running, long seed) throws Exception {
        for (int change = 0; change < CHANGES && running.stream().noneMatch(Future::isDone); change++) {
            int file = random.nextInt(FILES);
            switch (random.nextInt(8)) {
                case 0, 1 -> append(file);
                case 2 -> truncate(file);
                case 3 -> {
                    deletions.incrementAndGet(file);
                    cluster.fs().delete(paths.get(file), false);
                    lengths.set(file, LEAST_BYTES);
                    write(file);
                    deletions.incrementAndGet(file);
                }
                case 4 -> {
                    BlockVersion block = volumes.version(paths.get(file), 0);
                    cluster.promote(0, block.key(), block.lengthBytes());
                    cluster.service(0).tier().drop(block.key(), RetireCause.ORDERED, System.nanoTime());
                }
                default -> {
                    for (StorageTier to : List.of(StorageTier.DISK, StorageTier.NVM)) {
                        BlockVersion block = volumes.version(paths.get(file), 0);
                        assertThat(volumes.move(block, to).outcome())
                                .as("seed %d", seed)
                                .isEqualTo(MoveOutcome.DONE);
                    }
                }
            }
            // So that readers meet the state that was made, and not only the making.
            long before = reads.get();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> reads.get() >= before + 12 || running.stream().anyMatch(Future::isDone));
        }
    }

    private void append(int file) throws IOException {
        int length = lengths.get(file);
        int more = Math.min(APPEND_BYTES, MOST_BYTES - length);
        if (more > 0) {
            try (FSDataOutputStream out = cluster.fs().append(paths.get(file))) {
                out.write(contents.get(file), length, more);
            }
            lengths.set(file, length + more);
        }
    }

    private void truncate(int file) throws IOException {
        int shorter = Math.max(LEAST_BYTES, lengths.get(file) - APPEND_BYTES / 2);
        if (shorter < lengths.get(file)) {
            lengths.set(file, shorter);
            if (!cluster.fs().truncate(paths.get(file), shorter)) {
                Awaitility.await().atMost(PATIENCE).until(() -> cluster.fs().isFileClosed(paths.get(file)));
            }
        }
    }

    private Void read(FileSystem fs, Random random, long seed) throws IOException {
        byte[] buffer = new byte[40_000];
        while (!over.get()) {
            int file = random.nextInt(FILES);
            int deleted = deletions.get(file);
            try (FSDataInputStream in = fs.open(paths.get(file))) {
                for (int i = 0; i < 3; i++) {
                    int bytes = 1 + random.nextInt(buffer.length);
                    int offset = random.nextInt(LEAST_BYTES - bytes);
                    in.readFully(offset, buffer, 0, bytes);
                    if (!Arrays.equals(buffer, 0, bytes, contents.get(file), offset, offset + bytes)) {
                        throw new AssertionError(
                                "wrong bytes in " + paths.get(file) + " at " + offset + ", seed " + seed);
                    }
                    reads.incrementAndGet();
                }
            } catch (IOException e) {
                if (deletions.get(file) == deleted && deleted % 2 == 0) {
                    throw new IOException("seed " + seed, e);
                }
            }
        }
        return null;
    }
}
