package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What clients count themselves, against what the DataNode says was read from each tier and through which door. */
@Tag("cluster")
class EveryByteCountedTest {

    private static final int FILES = 6;
    private static final int BYTES = 768 * 1024;
    /** A stock DataNode sends whole chunks of a checksum, so only reads of whole chunks are as long as what it sends. */
    private static final int CHUNK = 512;

    private static final int TURNS = 400;

    private final List<Path> paths = new ArrayList<>();
    private final List<byte[]> contents = new ArrayList<>();

    @Test
    void bytesOfAllTiersAndFallbacks_addUpToWhatTheClientsRead() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (TerraceCluster cluster = TerraceCluster.start(1);
                FileSystem granted = cluster.grantedClient()) {
            for (int i = 0; i < FILES; i++) {
                paths.add(cluster.write("counted" + i, BYTES, 1));
                contents.add(TerraceCluster.contents("counted" + i, BYTES));
            }
            long read = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                if (turn % 20 == 0) {
                    move(cluster, random.nextInt(FILES), random);
                }
                FileSystem client = random.nextInt(4) == 0 ? cluster.fs() : granted;
                read += read(client, random.nextInt(FILES), random, seed);
            }
            ClientMetrics.flush();

            long expected = read;
            await().untilAsserted(() ->
                    assertThat(counted(cluster)).as("seed %d", seed).isEqualTo(expected));
            assertThat(List.of(
                            cluster.figure(0, Metric.READS_GRANTED_BYTES),
                            cluster.figure(0, Metric.READS_STOCK_MEMORY_BYTES),
                            cluster.figure(0, Metric.READS_STOCK_REPLICA_BYTES)))
                    .as("seed %d: every way was taken", seed)
                    .allMatch(bytes -> bytes > 0);
            assertThat(cluster.figure(0, Metric.READS_GRANTED_REJECTED)).isZero();
        }
    }

    private static long counted(TerraceCluster cluster) {
        return cluster.figure(0, Metric.READS_GRANTED_BYTES)
                + cluster.figure(0, Metric.READS_STOCK_MEMORY_BYTES)
                + cluster.figure(0, Metric.READS_STOCK_REPLICA_BYTES);
    }

    /** Into memory, or out of it under whoever holds a grant. */
    private void move(TerraceCluster cluster, int file, Random random) throws Exception {
        BlockKey key = cluster.key(paths.get(file), 0);
        if (random.nextInt(3) == 0) {
            cluster.service(0).tier().drop(key, RetireCause.ORDERED, System.nanoTime());
        } else {
            cluster.promote(0, key, BYTES);
        }
    }

    private long read(FileSystem client, int file, Random random, long seed) throws IOException {
        byte[] expected = contents.get(file);
        byte[] buffer = new byte[CHUNK * 100];
        long read = 0;
        try (FSDataInputStream in = client.open(paths.get(file))) {
            if (random.nextInt(5) == 0) {
                assertThat(in.readAllBytes()).as("seed %d", seed).isEqualTo(expected);
                return BYTES;
            }
            for (int i = 0; i < 3; i++) {
                int length = CHUNK * (1 + random.nextInt(100));
                int offset = CHUNK * random.nextInt((BYTES - length) / CHUNK + 1);
                in.readFully(offset, buffer, 0, length);
                assertThat(Arrays.equals(buffer, 0, length, expected, offset, offset + length))
                        .as("seed %d", seed)
                        .isTrue();
                read += length;
            }
        }
        return read;
    }
}
