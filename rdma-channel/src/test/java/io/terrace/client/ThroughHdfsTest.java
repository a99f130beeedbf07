package io.terrace.client;

import static io.terrace.client.AccessorFixture.moved;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.FakeDataNode;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of a stock cluster's files through Hadoop's own streams, blocks granted by a fake DataNode beside it. */
@Tag("cluster")
class ThroughHdfsTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int LENGTH = 5 * BLOCK_BYTES + 12_345;
    private static final org.apache.hadoop.fs.Path FILE = new org.apache.hadoop.fs.Path("/file");

    @TempDir
    Path dir;

    private MiniDFSCluster cluster;
    private FakeDataNode node;
    private DistributedFileSystem client;
    private byte[] content;

    @BeforeEach
    void start() throws Exception {
        Configuration conf = new Configuration();
        conf.setLong("dfs.blocksize", BLOCK_BYTES);
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("cluster").toFile())
                .numDataNodes(1)
                .build();
        content = AccessorFixture.content(5, LENGTH);
        try (FSDataOutputStream out = cluster.getFileSystem().create(FILE, (short) 1)) {
            out.write(content);
        }
        Path channel = Files.createDirectory(dir.resolve("channel"));
        node = new FakeDataNode(channel, dir.resolve("memory"), "dn-1", AccessorFixture.LIMITS);
        Configuration withTerrace = new Configuration(conf);
        withTerrace.set("fs.defaultFS", cluster.getURI().toString());
        withTerrace.set("dfs.client.replica.accessor.builder.classes", TerraceAccessorBuilder.class.getName());
        withTerrace.set("terrace.channel.dir", channel.toString());
        withTerrace.set("terrace.client.connect.pause", "50ms");
        withTerrace.set("terrace.client.refused.pause", "100ms");
        withTerrace.set("terrace.client.grant.timeout", "20s");
        client = (DistributedFileSystem) FileSystem.newInstance(cluster.getURI(), withTerrace);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        LocalDataNodes.closeAll();
        node.close();
        cluster.shutdown();
    }

    private List<BlockKey> blocks() throws IOException {
        List<BlockKey> keys = new ArrayList<>();
        for (LocatedBlock located :
                client.getClient().getLocatedBlocks(FILE.toString(), 0, LENGTH).getLocatedBlocks()) {
            keys.add(new BlockKey(
                    located.getBlock().getBlockPoolId(),
                    located.getBlock().getBlockId(),
                    located.getBlock().getGenerationStamp()));
        }
        return keys;
    }

    private void promote(int index) throws IOException {
        int start = index * BLOCK_BYTES;
        node.put(blocks().get(index), Arrays.copyOfRange(content, start, Math.min(LENGTH, start + BLOCK_BYTES)));
    }

    private void promoteAll() throws IOException {
        for (int i = 0; i < blocks().size(); i++) {
            promote(i);
        }
    }

    @Test
    void read_ofResidentBlocks_countsAsShortCircuitAndIsRight() throws Exception {
        promoteAll();
        long granted = moved(Metric.CLIENT_GRANTED_SHM_BYTES, () -> {
            try (FSDataInputStream in = client.open(FILE)) {
                byte[] target = new byte[LENGTH];
                in.readFully(0, target);
                assertThat(Arrays.equals(target, content)).isTrue();
                assertThat(in.readAllBytes()).isEqualTo(content);
                var statistics = ((HdfsDataInputStream) in).getReadStatistics();
                assertThat(statistics.getTotalShortCircuitBytesRead()).isEqualTo(2L * LENGTH);
                assertThat(statistics.getTotalLocalBytesRead()).isEqualTo(2L * LENGTH);
            }
        });
        assertThat(granted).isEqualTo(2L * LENGTH);
    }

    @Test
    void read_ofSomeResidentBlocks_isRightAndTheSumOfItsSources() throws Exception {
        promote(0);
        promote(3);
        long granted = moved(Metric.CLIENT_GRANTED_SHM_BYTES, () -> {
            try (FSDataInputStream in = client.open(FILE)) {
                assertThat(in.readAllBytes()).isEqualTo(content);
                ByteBuffer direct = ByteBuffer.allocateDirect(LENGTH);
                in.seek(0);
                while (direct.hasRemaining() && in.read(direct) >= 0) {}
                assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(content));
            }
        });
        assertThat(granted).isEqualTo(2L * 2 * BLOCK_BYTES);
    }

    @Test
    void evict_inTheMiddleOfAStream_neverMarksTheDataNodeDead() throws Exception {
        promoteAll();
        List<BlockKey> blocks = blocks();
        try (FSDataInputStream in = client.open(FILE);
                FSDataInputStream positional = client.open(FILE)) {
            byte[] target = new byte[LENGTH];
            in.readFully(target, 0, 2 * BLOCK_BYTES + 500);
            positional.readFully(0, new byte[100]);
            blocks.forEach(node::retire);
            in.readFully(target, 2 * BLOCK_BYTES + 500, LENGTH - 2 * BLOCK_BYTES - 500);
            assertThat(target).isEqualTo(content);
            positional.readFully(0, target);
            assertThat(target).isEqualTo(content);
            assertThat(deadNodes(in)).isZero();
            assertThat(deadNodes(positional)).isZero();
        }
        assertThat(node.files()).isZero();
    }

    /** Positional reads and streams while blocks come and go: never a wrong byte, never an error. */
    @Test
    void reads_whileBlocksComeAndGo_areAlwaysRight() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<BlockKey> blocks = blocks();
        AtomicBoolean stop = new AtomicBoolean();
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Random own = new Random(seed + i);
            Thread reader = new Thread(() -> {
                try (FSDataInputStream in = client.open(FILE)) {
                    while (!stop.get()) {
                        int position = own.nextInt(LENGTH);
                        byte[] target = new byte[1 + own.nextInt(Math.min(200_000, LENGTH - position))];
                        if (own.nextInt(4) == 0) {
                            in.seek(position);
                            in.readFully(target);
                        } else {
                            in.readFully(position, target);
                        }
                        if (!Arrays.equals(target, 0, target.length, content, position, position + target.length)) {
                            throw new AssertionError("wrong bytes at " + position);
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            reader.start();
            readers.add(reader);
        }
        boolean[] resident = new boolean[blocks.size()];
        long endNs = System.nanoTime() + 3_000_000_000L;
        while (System.nanoTime() < endNs && failures.isEmpty()) {
            int index = random.nextInt(resident.length);
            if (resident[index]) {
                node.retire(blocks.get(index));
            } else {
                promote(index);
            }
            resident[index] = !resident[index];
            Thread.sleep(random.nextInt(10));
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(failures).as("seed %d", seed).isEmpty();
        assertThat(ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_READS)).isPositive();
    }

    private int deadNodes(FSDataInputStream in) {
        return client.getClient()
                .getDeadNodes((DFSInputStream) in.getWrappedStream())
                .size();
    }
}
