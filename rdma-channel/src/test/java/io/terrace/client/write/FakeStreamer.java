package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteThrough;
import io.terrace.client.ClientConfig;
import io.terrace.client.landing.WindowConnector;
import io.terrace.client.landing.WindowLostException;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BaseHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ChecksumProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientOperationHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ChecksumTypeProto;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ExtendedBlockProto;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/** Stock's streamer and the NameNode: blocks are numbered, all at one DataNode, which stands for its pipeline. */
final class FakeStreamer implements StockStreamer {
    static final long TIMEOUT_MS = 10_000;

    /** Uuids of the DataNodes; idle connections are known by them. */
    static final String FIRST = "first";

    private static final String SECOND = "second";

    /** An address of this host where nobody listens. */
    private static final String NOBODY = "127.0.0.2";

    final NodeSpeeds speeds = new NodeSpeeds();
    private final FileOutput output;
    private final DatanodeInfo[] nodes = new DatanodeInfo[2];
    private final FutureTask<Void> work = new FutureTask<>(this::work);
    private final List<Integer> badNodes = new ArrayList<>();
    /** Until a DataNode has to answer, and until it has to hear something. */
    volatile long answerTimeoutMs = TIMEOUT_MS;

    volatile long keepAliveMs = TIMEOUT_MS / 2;
    private volatile boolean closed;
    private volatile boolean recovers;

    /** What {@link #canExclude} says. */
    volatile boolean apart = true;

    /** Whether no block is added while two are behind. */
    volatile boolean wantsReplicas;

    /** Whether stock may have to set a pipeline up again. */
    volatile boolean losesChannel;

    /** Run when a block is open, before more of it is sent. */
    volatile Runnable afterOpen = () -> {};

    /** Which DataNodes had a block when it was to be copied, block by block. */
    final List<List<Boolean>> copied = new CopyOnWriteArrayList<>();

    /** Whether a copy has been made. */
    volatile BooleanSupplier isCopied = () -> true;

    /** Run before each wait; true where it is to end by an event only. */
    volatile BooleanSupplier beforeWait = () -> false;

    /** Of stock's connection, as many as a test waits for. */
    final CountDownLatch heartbeats = new CountDownLatch(3);

    private long acknowledged;
    private long sent;
    private int asked;
    private int ended;

    FakeStreamer(
            FramePool pool,
            MetricRegistry metricRegistry,
            int port,
            long blockBytes,
            boolean syncBlocks,
            boolean replicated) {
        this(pool, metricRegistry, port, blockBytes, syncBlocks, replicated, null);
    }

    /** @param window attaches landing windows; null where there is no RDMA */
    FakeStreamer(
            FramePool pool,
            MetricRegistry metricRegistry,
            int port,
            long blockBytes,
            boolean syncBlocks,
            boolean replicated,
            WindowConnector.@Nullable Way window) {
        nodes[0] = node(FIRST, InetAddress.getLoopbackAddress().getHostAddress(), port - 1);
        nodes[1] = node(SECOND, NOBODY, 0);
        recovers = replicated;
        Configuration conf = new Configuration(false);
        conf.set("terrace.channel.tcp.port.offset", "1");
        FileSender sender = new FileSender(
                pool,
                new WriteConnections(
                        ClientConfig.from(conf), new WindowConnector(window, metricRegistry), metricRegistry),
                this,
                metricRegistry,
                speeds,
                replicated,
                new PipelineLimit(4),
                WriteThrough.FIRST);
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        output = new FileOutput(sender, pool, ChunkSummer.of(checksum), blockBytes, syncBlocks);
        new Thread(work, "fake-streamer").start();
    }

    private static DatanodeInfo node(String uuid, String address, int port) {
        return new DatanodeInfoBuilder()
                .setIpAddr(address)
                .setHostName(address)
                .setDatanodeUuid(uuid)
                .setXferPort(port)
                .build();
    }

    private Void work() throws IOException {
        try {
            output.send();
        } finally {
            output.sendEnded();
        }
        return null;
    }

    @Override
    public long keepAliveNs() {
        return TimeUnit.MILLISECONDS.toNanos(keepAliveMs);
    }

    FileOutput output() {
        return output;
    }

    /** Of blocks that all have finalised. Once the file is closed. */
    int ended() {
        return ended;
    }

    /** Which node was said to be at fault, fault by fault. Once the file is closed. */
    List<Integer> badNodes() {
        return badNodes;
    }

    String secondAddress() {
        return nodes[1].getXferAddr();
    }

    /** The second DataNode is this one from the next block on. */
    void second(int port) {
        nodes[1] = node(SECOND, InetAddress.getLoopbackAddress().getHostAddress(), port - 1);
    }

    private final class FakeEndedBlock implements EndedBlock {
        private final int id;
        private final long bytes;
        private final List<DatanodeInfo> itsNodes = List.of(nodes);

        FakeEndedBlock(int id, long bytes) {
            this.id = id;
            this.bytes = bytes;
        }

        @Override
        public List<DatanodeInfo> nodes() {
            return itsNodes;
        }

        @Override
        public long answerTimeoutNs() {
            return TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        }

        @Override
        public void acknowledged() {
            // Nobody is told.
        }

        @Override
        public byte[] finalising(int node) {
            return request(BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, id, bytes, bytes);
        }

        @Override
        public byte[] resuming(int node, long ackedBytes) {
            return request(BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, id, ackedBytes, bytes);
        }

        @Override
        public @Nullable DatanodeInfo copy(
                boolean[] whole, List<DatanodeInfo> copies, List<DatanodeInfo> failed, Others others)
                throws IOException {
            copied.add(List.of(whole[0], whole[1]));
            others.serveUntil(isCopied);
            return null;
        }
    }

    /** From now on a fault ends the file. */
    void recoverNoMore() {
        recovers = false;
    }

    @Override
    public void await(Selector selector, long longestNs) throws IOException {
        if (beforeWait.getAsBoolean()) {
            selector.select();
        } else {
            StockStreamer.super.await(selector, longestNs);
        }
    }

    @Override
    public boolean isRunning() {
        return !closed;
    }

    @Override
    public boolean nextBlock(List<DatanodeInfo> busy, int busiest, boolean canWait) throws IOException {
        assertThat(busy).isSubsetOf(nodes);
        assertThat(busiest).isBetween(0, busy.size());
        if (wantsReplicas && canWait) {
            return false;
        }
        asked++;
        acknowledged = 0;
        sent = 0;
        open(BlockConstructionStage.PIPELINE_SETUP_CREATE);
        return true;
    }

    @Override
    public boolean canExclude(int count) {
        assertThat(count).isGreaterThanOrEqualTo(nodes.length);
        return apart;
    }

    @Override
    public void recoverBlock(IOException fault, boolean ending) throws IOException {
        if (!recovers) {
            throw fault;
        }
        if (!(fault instanceof WindowLostException)) {
            badNodes.add(fault instanceof PipelineException said ? said.badNode(nodes) : 0);
        }
        boolean opened = open(
                ending
                        ? BlockConstructionStage.PIPELINE_CLOSE_RECOVERY
                        : BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY);
        assertThat(opened || losesChannel).isTrue();
    }

    private boolean open(BlockConstructionStage stage) throws IOException {
        boolean opened =
                output.open(nodes, request(stage), TimeUnit.MILLISECONDS.toNanos(answerTimeoutMs)) == FileOutput.OPEN;
        afterOpen.run();
        return opened;
    }

    @Override
    public void sendHeartbeat() {
        heartbeats.countDown();
    }

    @Override
    public void sending(long blockBytes) {
        sent = Math.max(sent, blockBytes);
    }

    @Override
    public void acknowledged(long blockBytes) {
        assertThat(blockBytes).isBetween(acknowledged, sent);
        acknowledged = blockBytes;
    }

    @Override
    public EndedBlock leaveBlock(long blockBytes) {
        assertThat(blockBytes).isEqualTo(sent);
        ended++;
        return new FakeEndedBlock(asked, blockBytes);
    }

    @Override
    public void blockEnded() {
        ended++;
    }

    void write(byte[] bytes) {
        assertThat(output.write(bytes, 0, bytes.length)).isEqualTo(bytes.length);
    }

    void awaitAll() throws InterruptedException {
        assertThat(output.awaitAcked(output.lastQueued(), TIMEOUT_MS)).isTrue();
    }

    /** Waits until nothing is sent any more. */
    void await() throws ExecutionException, InterruptedException {
        work.get();
    }

    void close() throws Exception {
        output.endBlock(false);
        awaitAll();
        closed = true;
        output.wake();
        await();
        output.release();
    }

    /**
     * Ends the file without waiting for all DataNodes.
     *
     * @param whenEnded run when nothing is sent any more
     */
    void closeEarly(Runnable whenEnded) throws InterruptedException {
        output.endBlock(false);
        output.complete();
        assertThat(output.awaitWritten(TIMEOUT_MS)).isTrue();
        output.release(whenEnded);
    }

    private byte[] request(BlockConstructionStage stage) {
        return request(stage, asked, acknowledged, sent);
    }

    private byte[] request(BlockConstructionStage stage, int blockId, long leastBytes, long mostBytes) {
        return OpWriteBlockProto.newBuilder()
                .setHeader(ClientOperationHeaderProto.newBuilder()
                        .setBaseHeader(BaseHeaderProto.newBuilder()
                                .setBlock(ExtendedBlockProto.newBuilder()
                                        .setPoolId("pool")
                                        .setBlockId(blockId)
                                        .setGenerationStamp(1)))
                        .setClientName("client"))
                .setStage(stage)
                .setPipelineSize(nodes.length)
                .setMinBytesRcvd(leastBytes)
                .setMaxBytesRcvd(mostBytes)
                .setLatestGenerationStamp(0)
                .setRequestedChecksum(ChecksumProto.newBuilder()
                        .setType(ChecksumTypeProto.CHECKSUM_CRC32C)
                        .setBytesPerChecksum(512))
                .build()
                .toByteArray();
    }
}
