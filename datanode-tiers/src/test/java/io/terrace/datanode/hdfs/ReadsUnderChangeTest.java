package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
 * Readers through grants, by the replica accessor and by the FileSystem class, and through stock, while blocks are promoted, dropped and appended to in random order. A file is
 * always a prefix of one known sequence of bytes, so every byte read can be checked whatever version it is of.
 */
@Tag("cluster")
class ReadsUnderChangeTest {

    private static final int FILES = 4;
    private static final int FIRST_BYTES = 300_000;
    private static final int APPEND_BYTES = 9_001;
    private static final int MOST_BYTES = TerraceCluster.BLOCK_BYTES;
    private static final int CHANGES = 70;

    private final List<byte[]> contents = new ArrayList<>();
    private final List<Path> paths = new ArrayList<>();
    /** What a reader may count on. */
    private final AtomicIntegerArray lengths = new AtomicIntegerArray(FILES);

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong reads = new AtomicLong();

    @Test
    void everyByte_isRightWhateverHappensToTheBlocks() throws Exception {
        long seed = System.nanoTime();
        ExecutorService readers = Executors.newFixedThreadPool(4);
        try (TerraceCluster cluster = TerraceCluster.start(1);
                FileSystem granted = cluster.grantedClient();
                FileSystem memoryFirst = cluster.memoryFirstClient()) {
            for (int i = 0; i < FILES; i++) {
                String name = "changing" + i;
                contents.add(TerraceCluster.contents(name, MOST_BYTES));
                Path path = new Path("/" + name);
                try (FSDataOutputStream out = cluster.fs().create(path, (short) 1)) {
                    out.write(contents.get(i), 0, FIRST_BYTES);
                }
                paths.add(path);
                lengths.set(i, FIRST_BYTES);
            }
            List<Future<?>> running = List.of(
                    readers.submit(() -> read(granted, new Random(seed + 1))),
                    readers.submit(() -> read(granted, new Random(seed + 2))),
                    readers.submit(() -> read(memoryFirst, new Random(seed + 3))),
                    readers.submit(() -> read(cluster.fs(), new Random(seed + 4))));
            change(cluster, new Random(seed));
            over.set(true);
            for (Future<?> reader : running) {
                reader.get();
            }
            assertThat(reads).as("seed %d", seed).hasValueGreaterThan(CHANGES);
            assertThat(ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_READS)).isPositive();
            assertThat(cluster.figure(0, Metric.READS_STOCK_MEMORY)).isPositive();
            for (int i = 0; i < FILES; i++) {
                assertThat(cluster.read(paths.get(i)))
                        .as("seed %d", seed)
                        .isEqualTo(Arrays.copyOf(contents.get(i), lengths.get(i)));
                cluster.fs().delete(paths.get(i), false);
            }
            Awaitility.await()
                    .alias("nothing is left in memory")
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.service(0).tier().usage().usedBytes() == 0);
        } finally {
            over.set(true);
            readers.shutdownNow();
        }
    }

    private void change(TerraceCluster cluster, Random random) throws Exception {
        for (int change = 0; change < CHANGES; change++) {
            int file = random.nextInt(FILES);
            BlockKey key = cluster.key(paths.get(file), 0);
            switch (random.nextInt(6)) {
                case 0 -> append(cluster, file);
                case 1 -> cluster.service(0).tier().drop(key, RetireCause.ORDERED, System.nanoTime());
                default -> cluster.promote(0, key, lengths.get(file));
            }
            // So that readers meet the state that was made, and not only the making.
            long before = reads.get();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> reads.get() >= before + 6 || over.get());
        }
    }

    private void append(TerraceCluster cluster, int file) throws IOException {
        int length = lengths.get(file);
        int more = Math.min(APPEND_BYTES, MOST_BYTES - length);
        if (more > 0) {
            try (FSDataOutputStream out = cluster.fs().append(paths.get(file))) {
                out.write(contents.get(file), length, more);
            }
            lengths.set(file, length + more);
        }
    }

    private Void read(FileSystem fs, Random random) throws IOException {
        byte[] buffer = new byte[40_000];
        while (!over.get()) {
            int file = random.nextInt(FILES);
            int length = lengths.get(file);
            try (FSDataInputStream in = fs.open(paths.get(file))) {
                for (int i = 0; i < 3; i++) {
                    int bytes = 1 + random.nextInt(buffer.length);
                    int offset = random.nextInt(length - bytes);
                    in.readFully(offset, buffer, 0, bytes);
                    if (!Arrays.equals(buffer, 0, bytes, contents.get(file), offset, offset + bytes)) {
                        over.set(true);
                        throw new AssertionError("wrong bytes in " + paths.get(file) + " at " + offset);
                    }
                    reads.incrementAndGet();
                }
            }
        }
        return null;
    }
}
