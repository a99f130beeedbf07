package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.DataNodeVolumeMetrics;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that a client writes over the channel, frame by frame: what is in them, and what the DataNode and NameNode know of them. */
@Tag("cluster")
@Timeout(120)
class WrittenBlocksTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;

    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("dfs.datanode.fileio.profiling.sampling.percentage", 100);
        cluster = TerraceCluster.start(1, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    private static RawWriter connect(boolean local) throws IOException {
        return local ? RawWriter.local(cluster) : RawWriter.overTcp(cluster);
    }

    /** Writes one block in frames of so many bytes. */
    private static void writeBlock(
            RawWriter writer, RawWriter.OpenFile file, LocatedBlock block, byte[] contents, int step)
            throws IOException {
        assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
        int done = 0;
        while (done < contents.length) {
            int to = Math.min(contents.length, done + step);
            writer.send(contents, done, to, to == contents.length ? WriteFrame.LAST : 0);
            WriteAck ack = writer.ack(to == contents.length);
            assertThat(ack).isEqualTo(new WriteAck(to, done / step + 1, to));
            done = to;
        }
        if (contents.length == 0) {
            writer.send(contents, 0, 0, WriteFrame.LAST);
            assertThat(writer.ack(true)).isEqualTo(new WriteAck(0, 1, 0));
        }
        block.getBlock().setNumBytes(contents.length);
    }

    private static void assertSame(String path, byte[] contents) throws IOException {
        assertThat(cluster.read(new Path(path))).isEqualTo(contents);
        Path stock = new Path("/stock" + path);
        try (var out = cluster.fs().create(stock, (short) 1)) {
            out.write(contents);
        }
        assertThat(cluster.fs().getFileChecksum(new Path(path)))
                .isEqualTo(cluster.fs().getFileChecksum(stock));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void block_ofAnyLength_isWhatWasWritten(boolean local) throws Exception {
        for (int bytes : new int[] {1, 511, 512, 513, 100_000, BLOCK - 1, BLOCK}) {
            String path = "/length-" + local + "-" + bytes;
            byte[] contents = TerraceCluster.contents(path, bytes);
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, path);
            LocatedBlock block = file.nextBlock(null);
            try (RawWriter writer = connect(local)) {
                writeBlock(writer, file, block, contents, 1 << 20);
                file.complete(block.getBlock());
            }
            assertSame(path, contents);
        }
    }

    @Test
    void frames_ofRandomLengths_overOneConnection_areWhatWasWritten() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        byte[] contents = new byte[3 * BLOCK + 777];
        random.nextBytes(contents);
        long writtenBefore = cluster.figure(0, Metric.CHANNEL_WRITE_BLOCKS);
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/random");
        ExtendedBlock last = null;
        try (RawWriter writer = connect(random.nextBoolean())) {
            for (int start = 0; start < contents.length; start += BLOCK) {
                LocatedBlock block = file.nextBlock(last);
                byte[] part = Arrays.copyOfRange(contents, start, Math.min(contents.length, start + BLOCK));
                assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
                int done = 0;
                while (done < part.length) {
                    int to = Math.min(part.length, done + 1 + random.nextInt(1 << random.nextInt(19)));
                    int flags = random.nextInt(20) == 0 ? WriteFrame.SYNC : 0;
                    writer.send(part, done, to, to == part.length ? flags | WriteFrame.LAST : flags);
                    assertThat(writer.ack(to == part.length).writtenBytes()).isEqualTo(to);
                    if (random.nextInt(10) == 0 && to < part.length) {
                        assertThat(writer.ping().number()).isEqualTo(77);
                    }
                    done = to;
                }
                last = block.getBlock();
                last.setNumBytes(part.length);
            }
            file.complete(last);
        }
        assertSame("/random", contents);
        assertThat(cluster.figure(0, Metric.CHANNEL_WRITE_BLOCKS) - writtenBefore)
                .isEqualTo(4);
    }

    /** Frames may be sent on without waiting for acknowledgements, and the last one may be empty. */
    @Test
    void frames_sentAhead_areAcknowledgedInOrder() throws Exception {
        byte[] contents = TerraceCluster.contents("ahead", 300_000);
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/ahead");
        LocatedBlock block = file.nextBlock(null);
        try (RawWriter writer = connect(true)) {
            assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
            writer.send(contents, 0, 100_001, 0);
            writer.send(contents, 100_001, 300_000, 0);
            writer.send(contents, 300_000, 300_000, WriteFrame.LAST | WriteFrame.SYNC);
            assertThat(writer.ack(false).writtenBytes()).isEqualTo(100_001);
            assertThat(writer.ack(false).writtenBytes()).isEqualTo(300_000);
            assertThat(writer.ack(true).writtenBytes()).isEqualTo(300_000);
            block.getBlock().setNumBytes(contents.length);
            file.complete(block.getBlock());
        }
        assertSame("/ahead", contents);
    }

    @Test
    void acknowledgedBytes_areSeenByStockReaders_beforeTheBlockEnds() throws Exception {
        byte[] contents = TerraceCluster.contents("growing", 5_000);
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/growing");
        LocatedBlock block = file.nextBlock(null);
        try (RawWriter writer = connect(true)) {
            assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
            int done = 0;
            for (int to : new int[] {1, 512, 700, 1_025, 5_000}) {
                writer.send(contents, done, to, WriteFrame.FLUSH);
                assertThat(writer.ack(false).writtenBytes()).isEqualTo(to);
                if (done == 0) {
                    file.nameNode().fsync("/growing", file.id(), file.client(), -1);
                }
                try (FSDataInputStream in = cluster.fs().open(new Path("/growing"))) {
                    byte[] seen = new byte[to];
                    in.readFully(0, seen);
                    assertThat(seen).isEqualTo(Arrays.copyOf(contents, to));
                    assertThat(in.read(to, new byte[1], 0, 1)).isEqualTo(-1);
                }
                done = to;
            }
            writer.send(contents, 5_000, 5_000, WriteFrame.LAST);
            assertThat(writer.ack(true).writtenBytes()).isEqualTo(5_000);
            block.getBlock().setNumBytes(contents.length);
            file.complete(block.getBlock());
        }
        assertSame("/growing", contents);
    }

    /** What a writer takes is given back: reserved space, threads, connections, counts. */
    @Test
    void connections_thatEnd_leaveNothingBehind() throws Exception {
        for (int i = 0; i < 5; i++) {
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/left-" + i);
            LocatedBlock block = file.nextBlock(null);
            byte[] contents = TerraceCluster.contents("left", 100_000);
            try (RawWriter writer = connect(i % 2 == 0)) {
                assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
                writer.send(contents, 0, 50_000, 0);
                writer.ack(false);
                // As stock, which counts the thread that receives and the one that acknowledges.
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> cluster.datanode(0).getActiveTransferThreadCount() == 2);
                if (i > 2) {
                    writer.send(contents, 50_000, 100_000, WriteFrame.LAST);
                    writer.ack(true);
                }
            }
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.figure(0, Metric.CHANNEL_WRITE_CONNECTIONS) == 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> reservedBytes() == 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.datanode(0).getActiveTransferThreadCount() == 0);
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.isAlive() && thread.getName().matches("terrace-write-[0-9a-f-]{36}-\\d+"));
    }

    private static long reservedBytes() throws IOException {
        long bytes = 0;
        try (var volumes = cluster.datanode(0).getFSDataset().getFsVolumeReferences()) {
            for (FsVolumeSpi volume : volumes) {
                bytes += ((FsVolumeImpl) volume).getReservedForReplicas();
            }
        }
        return bytes;
    }

    /** A reader of the finished file after the DataNode came back finds every byte, on any path. */
    @Test
    void block_afterARestart_isStillThere() throws Exception {
        byte[] contents = TerraceCluster.contents("/restart", 70_000);
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/restart");
        LocatedBlock block = file.nextBlock(null);
        try (RawWriter writer = connect(true)) {
            writeBlock(writer, file, block, contents, 33_333);
            file.complete(block.getBlock());
        }
        cluster.restartDataNode(0);
        assertSame("/restart", contents);
    }

    /** Frames of 1,024 bytes, as packets of stock: the NameNode finds slow disks by these times. */
    @Test
    void writes_areAmongTheTimesOfTheirVolume() throws Exception {
        byte[] contents = TerraceCluster.contents("/timed", 10_240);
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/timed");
        LocatedBlock block = file.nextBlock(null);
        DataNodeVolumeMetrics times;
        long writes;
        long flushes;
        try (RawWriter writer = connect(true)) {
            assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
            times = cluster.datanode(0)
                    .getFSDataset()
                    .getVolume(block.getBlock())
                    .getMetrics();
            writes = times.getWriteIoSampleCount();
            flushes = times.getFlushIoSampleCount();
            for (int done = 0; done < contents.length; done += 1_024) {
                int to = done + 1_024;
                writer.send(contents, done, to, to == contents.length ? WriteFrame.LAST : 0);
                writer.ack(to == contents.length);
            }
            block.getBlock().setNumBytes(contents.length);
            file.complete(block.getBlock());
        }
        assertThat(times.getWriteIoSampleCount() - writes)
                .as("data and checksums")
                .isEqualTo(20);
        assertThat(times.getFlushIoSampleCount() - flushes).isEqualTo(10);
    }
}
