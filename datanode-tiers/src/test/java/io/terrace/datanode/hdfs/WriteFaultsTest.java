package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ChecksumProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ChecksumTypeProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that end in the middle, send what is wrong, or lose their replica: what was acknowledged stays, nothing else happens. */
@Tag("cluster")
@Timeout(180)
class WriteFaultsTest {
    private static final int BYTES = 300_000;
    private static final int SILENCE_MS = 3_000;

    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("dfs.client.socket-timeout", SILENCE_MS);
        conf.setInt("terrace.datanode.write.connections.max", 12);
        cluster = TerraceCluster.start(1, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    /** A block whose first bytes are written and acknowledged. */
    private record Begun(RawWriter writer, RawWriter.OpenFile file, LocatedBlock block, byte[] contents)
            implements AutoCloseable {
        static Begun begin(String path, int bytes) throws IOException {
            return begin(RawWriter.local(cluster), path, bytes);
        }

        static Begun begin(RawWriter writer, String path, int bytes) throws IOException {
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, path);
            LocatedBlock block = file.nextBlock(null);
            byte[] contents = TerraceCluster.contents(path, TerraceCluster.BLOCK_BYTES);
            assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
            writer.send(contents, 0, bytes, 0);
            assertThat(writer.ack(false).writtenBytes()).isEqualTo(bytes);
            return new Begun(writer, file, block, contents);
        }

        /** After a lease recovery the file has what was acknowledged, and perhaps more of what was sent. */
        void assertRecovers(int acknowledged) throws IOException {
            Path path = new Path(file.path());
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> cluster.fs().recoverLease(path));
            byte[] left = cluster.read(path);
            assertThat(left.length).isGreaterThanOrEqualTo(acknowledged);
            assertThat(left).isEqualTo(Arrays.copyOf(contents, left.length));
        }

        void assertRefused(Status status) throws IOException {
            assertThat(writer.failure().getStatus()).isEqualTo(status);
            assertThat(writer.hasEnded()).isTrue();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }

    @Test
    void wrongChecksum_isRefused_andWhatWasAcknowledgedStays() throws Exception {
        try (Begun begun = Begun.begin("/wrong", BYTES)) {
            int start = BYTES / RawWriter.CHUNK_BYTES * RawWriter.CHUNK_BYTES;
            byte[] data = Arrays.copyOfRange(begun.contents(), start, start + 200_000);
            ByteBuffer sums = RawWriter.sums(data);
            data[150_000]++;
            begun.writer().sendFrame(start, data, sums, 0);
            begun.assertRefused(Status.ERROR_CHECKSUM);
            begun.assertRecovers(BYTES);
        }
    }

    @Test
    void frames_outOfPlace_endTheConnection() throws Exception {
        int chunk = RawWriter.CHUNK_BYTES;
        int[][] places = {{chunk, 100}, {chunk * 1_000, 0}, {chunk * 1_000, chunk}, {0, chunk}, {0, 3 * chunk}, {0, 0}};
        for (int i = 0; i < places.length; i++) {
            try (Begun begun = Begun.begin("/place-" + i, 2 * chunk)) {
                byte[] data = new byte[places[i][1]];
                begun.writer().sendFrame(places[i][0], data, RawWriter.sums(data), 0);
                begun.assertRefused(Status.ERROR);
            }
        }
    }

    @Test
    void frames_beyondTheBlock_endTheConnection() throws Exception {
        try (Begun begun = Begun.begin("/beyond", TerraceCluster.BLOCK_BYTES)) {
            byte[] data = new byte[1];
            begun.writer().sendFrame(TerraceCluster.BLOCK_BYTES, data, RawWriter.sums(data), WriteFrame.LAST);
            begun.assertRefused(Status.ERROR);
            begun.assertRecovers(TerraceCluster.BLOCK_BYTES);
        }
    }

    @Test
    void garbage_withinABlock_endsTheConnection() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 8; round++) {
            try (Begun begun = Begun.begin("/garbage-" + round, 1_000)) {
                byte[] noise = new byte[100 + random.nextInt(5_000)];
                random.nextBytes(noise);
                // The type of no frame.
                noise[0] = (byte) (0x80 | random.nextInt(0x80));
                begun.writer().sendRaw(ByteBuffer.wrap(noise));
                // Answers come first.
                await().atMost(Duration.ofSeconds(20)).until(begun.writer()::hasEnded);
                begun.assertRecovers(1_000);
            }
        }
    }

    @Test
    void client_goneWithinAFrame_leavesWhatWasAcknowledged() throws Exception {
        try (Begun begun = Begun.begin("/gone", BYTES)) {
            int start = BYTES / RawWriter.CHUNK_BYTES * RawWriter.CHUNK_BYTES;
            byte[] data = Arrays.copyOfRange(begun.contents(), start, start + 400_000);
            ByteBuffer frame = RawWriter.frame(start, data, RawWriter.sums(data), 0);
            begun.writer().sendRaw(frame.limit(frame.limit() - 1));
            begun.writer().close();
            begun.assertRecovers(BYTES);
        }
    }

    /** Recovery stops a writer wherever it is: the replica's files are those of the replica, and the client cannot go on. */
    @Test
    void leaseRecovery_amidWrites_stopsTheWriter_andKeepsWhatWasAcknowledged() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Begun> all = new ArrayList<>();
        AtomicIntegerArray acknowledged = new AtomicIntegerArray(6);
        for (int i = 0; i < acknowledged.length(); i++) {
            Begun begun = Begun.begin(
                    i % 2 == 0 ? RawWriter.local(cluster) : RawWriter.overTcp(cluster), "/stopped-" + i, 100);
            acknowledged.set(i, 100);
            all.add(begun);
            int index = i;
            Thread thread = new Thread(() -> {
                try {
                    while (acknowledged.get(index) < TerraceCluster.BLOCK_BYTES) {
                        // The same last bytes again and again, so that the writer is in the middle of something.
                        int to = Math.min(acknowledged.get(index) + 333, BYTES);
                        begun.writer().send(begun.contents(), acknowledged.get(index), to, 0);
                        begun.writer().ack(false);
                        acknowledged.set(index, to);
                    }
                } catch (IOException | AssertionError e) {
                    // Its replica was taken away.
                }
            });
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> IntStream.range(0, acknowledged.length()).anyMatch(i -> acknowledged.get(i) > 100));
        for (Begun begun : all) {
            cluster.fs().recoverLease(new Path(begun.file().path()));
        }
        for (int i = 0; i < all.size(); i++) {
            all.get(i).assertRecovers(100);
            threads.get(i).join();
            all.get(i).assertRecovers(acknowledged.get(i));
            all.get(i).close();
        }
    }

    @Test
    void silentClient_isCut_butNotOneThatPings() throws Exception {
        long before = cluster.figure(0, Metric.CHANNEL_WRITE_CUT);
        try (Begun silent = Begun.begin("/silent", BYTES);
                Begun pings = Begun.begin("/pings", BYTES)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                pings.writer().ping();
                return cluster.figure(0, Metric.CHANNEL_WRITE_CUT) > before;
            });
            assertThat(silent.writer().hasEnded()).isTrue();
            assertThat(pings.writer().ping().type()).isEqualTo(WriteFrame.PING);
            silent.assertRecovers(BYTES);
        }
    }

    @Test
    void requests_thatAreNotServed_areAnsweredWithTheReason() throws Exception {
        RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/refused");
        LocatedBlock block = file.nextBlock(null);
        OpWriteBlockProto.Builder good = RawWriter.request(file, block);
        assertRefused(
                good.clone().setStage(OpWriteBlockProto.BlockConstructionStage.PIPELINE_SETUP_APPEND),
                Status.ERROR_UNSUPPORTED);
        assertRefused(good.clone().addTargets(PBHelperClient.convert(block.getLocations()[0])), Status.ERROR);
        assertRefused(
                good.clone()
                        .setRequestedChecksum(ChecksumProto.newBuilder()
                                .setType(ChecksumTypeProto.CHECKSUM_NULL)
                                .setBytesPerChecksum(512)),
                Status.ERROR_UNSUPPORTED);
        assertRefused(
                good.clone()
                        .setRequestedChecksum(ChecksumProto.newBuilder()
                                .setType(ChecksumTypeProto.CHECKSUM_CRC32C)
                                .setBytesPerChecksum(8 << 20)),
                Status.ERROR_UNSUPPORTED);
        assertRefused(good.clone().setStorageType(PBHelperClient.convertStorageType(StorageType.NVDIMM)), Status.ERROR);
        try (RawWriter writer = RawWriter.local(cluster)) {
            assertThat(writer.open(good).getStatus()).isEqualTo(Status.SUCCESS);
            // It exists already.
            assertRefused(good, Status.ERROR);
            writer.send(new byte[0], 0, 0, WriteFrame.LAST);
            assertThat(writer.ack(true).writtenBytes()).isZero();
        }
    }

    private static void assertRefused(OpWriteBlockProto.Builder request, Status status) throws IOException {
        try (RawWriter writer = RawWriter.local(cluster)) {
            BlockOpResponseProto answer = writer.open(request);
            assertThat(answer.getStatus()).as(answer.getMessage()).isEqualTo(status);
            assertThat(answer.getMessage()).isNotEmpty();
            assertThat(writer.hasEnded()).isTrue();
        }
    }

    @Test
    void connections_beyondTheShareOfTheirUserOrHost_areClosed() throws Exception {
        List<RawWriter> writers = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                writers.add(i % 2 == 0 ? RawWriter.local(cluster) : RawWriter.overTcp(cluster));
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.figure(0, Metric.CHANNEL_WRITE_CONNECTIONS) == 8);
            for (int i = 0; i < 4; i++) {
                try (RawWriter late = i % 2 == 0 ? RawWriter.local(cluster) : RawWriter.overTcp(cluster)) {
                    assertThat(late.hasEnded()).isTrue();
                }
            }
        } finally {
            for (RawWriter writer : writers) {
                writer.close();
            }
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> cluster.figure(0, Metric.CHANNEL_WRITE_CONNECTIONS) == 0);
        try (Begun begun = Begun.begin("/after", BYTES)) {
            assertThat(begun.contents()).isNotEmpty();
        }
    }
}
