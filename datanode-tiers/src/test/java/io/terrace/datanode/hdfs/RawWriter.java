package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BaseHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.CachingStrategyProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientOperationHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.awaitility.Awaitility;

/** Writes blocks to a DataNode frame by frame, as no client of ours would if it were not for a test. */
final class RawWriter implements AutoCloseable {
    static final int CHUNK_BYTES = 512;

    private static final DataChecksum CHECKSUM = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK_BYTES);

    private final FrameChannel frames;
    private final SocketChannel channel;
    private long number;

    private RawWriter(SocketChannel channel, ByteBuffer first) throws IOException {
        this.channel = channel;
        this.frames = new FrameChannel(channel);
        frames.send(first);
    }

    static RawWriter local(TerraceCluster cluster) throws IOException {
        String socket = cluster.datanode(0).getDatanodeUuid() + ".sock";
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(
                UnixDomainSocketAddress.of(cluster.scratch().resolve("channel").resolve(socket)));
        return new RawWriter(channel, MessageCodec.encode(new Message.StartWrites()));
    }

    static RawWriter overTcp(TerraceCluster cluster) throws IOException {
        int port = cluster.datanode(0).getXferPort() + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS;
        return new RawWriter(
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                TcpFrame.startWrites());
    }

    /** To any DataNode over tcp. */
    static RawWriter to(DatanodeInfo node) throws IOException {
        int port = node.getXferPort() + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS;
        return new RawWriter(
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                TcpFrame.startWrites());
    }

    /** A file being written by a client of that name. */
    record OpenFile(ClientProtocol nameNode, String path, String client, long id) {
        static OpenFile create(TerraceCluster cluster, String path) throws IOException {
            return create(cluster, path, 1);
        }

        static OpenFile create(TerraceCluster cluster, String path, int replication) throws IOException {
            ClientProtocol nameNode = cluster.fs().getClient().getNamenode();
            String client = "raw-" + path;
            HdfsFileStatus status = nameNode.create(
                    path,
                    FsPermission.getFileDefault(),
                    client,
                    new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                    true,
                    (short) replication,
                    TerraceCluster.BLOCK_BYTES,
                    CryptoProtocolVersion.supported(),
                    null,
                    null);
            return new OpenFile(nameNode, path, client, status.getFileId());
        }

        LocatedBlock nextBlock(ExtendedBlock previous) throws IOException {
            // What the DataNode said of the block before may be on its way.
            return Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .ignoreExceptionsMatching(e -> e instanceof RemoteException remote
                            && remote.getClassName().equals(NotReplicatedYetException.class.getName()))
                    .until(
                            () -> nameNode.addBlock(
                                    path, client, previous, null, id, null, EnumSet.noneOf(AddBlockFlag.class)),
                            Objects::nonNull);
        }

        void complete(ExtendedBlock last) throws Exception {
            while (!nameNode.complete(path, client, last, id)) {
                Thread.sleep(2);
            }
        }
    }

    static OpWriteBlockProto.Builder request(OpenFile file, LocatedBlock block) {
        return request(file, block, block.getBlockToken(), block.getStorageTypes()[0]);
    }

    static OpWriteBlockProto.Builder request(
            OpenFile file, LocatedBlock block, Token<BlockTokenIdentifier> token, StorageType type) {
        ExtendedBlock sized = new ExtendedBlock(block.getBlock());
        sized.setNumBytes(TerraceCluster.BLOCK_BYTES);
        return OpWriteBlockProto.newBuilder()
                .setHeader(ClientOperationHeaderProto.newBuilder()
                        .setBaseHeader(BaseHeaderProto.newBuilder()
                                .setBlock(PBHelperClient.convert(sized))
                                .setToken(PBHelperClient.convert(token)))
                        .setClientName(file.client()))
                .setStage(OpWriteBlockProto.BlockConstructionStage.PIPELINE_SETUP_CREATE)
                .setPipelineSize(0)
                .setMinBytesRcvd(0)
                .setMaxBytesRcvd(0)
                .setLatestGenerationStamp(0)
                .setRequestedChecksum(DataTransferProtoUtil.toProto(CHECKSUM))
                .setCachingStrategy(CachingStrategyProto.newBuilder())
                .setStorageType(PBHelperClient.convertStorageType(type))
                .setStorageId(block.getStorageIDs()[0]);
    }

    /** For the first of these DataNodes, which are those of the block or some of them, by their indexes. */
    static OpWriteBlockProto.Builder request(OpenFile file, LocatedBlock block, int... nodes) {
        OpWriteBlockProto.Builder request = request(
                        file, block, block.getBlockToken(), block.getStorageTypes()[nodes[0]])
                .setStorageId(block.getStorageIDs()[nodes[0]])
                .setPipelineSize(nodes.length);
        for (int i = 1; i < nodes.length; i++) {
            request.addTargets(PBHelperClient.convert(block.getLocations()[nodes[i]]))
                    .addTargetStorageTypes(PBHelperClient.convertStorageType(block.getStorageTypes()[nodes[i]]))
                    .addTargetStorageIds(block.getStorageIDs()[nodes[i]]);
        }
        return request;
    }

    BlockOpResponseProto open(OpenFile file, LocatedBlock block) throws IOException {
        return open(request(file, block));
    }

    BlockOpResponseProto open(OpWriteBlockProto.Builder request) throws IOException {
        return open(request, (byte) 0);
    }

    BlockOpResponseProto open(OpWriteBlockProto.Builder request, byte flags) throws IOException {
        byte[] body = request.build().toByteArray();
        number = 0;
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        new WriteFrame(body.length, WriteFrame.OPEN, flags, 0).encode(out);
        frames.send(out.put(body).flip());
        WriteFrame answer = expect(WriteFrame.OPENED);
        return BlockOpResponseProto.parseFrom(body(answer));
    }

    /** Sends all of a block with the request to open it. */
    void sendWhole(OpWriteBlockProto.Builder request, byte[] contents, ByteBuffer sums) throws IOException {
        byte[] body = request.build().toByteArray();
        number = 1;
        ByteBuffer frame = frame(0, contents, sums, WriteFrame.LAST);
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length + frame.remaining());
        new WriteFrame(body.length, WriteFrame.OPEN, (byte) 0, contents.length).encode(out);
        frames.send(out.put(body).put(frame).flip());
    }

    /** What is said to a request in place of an acknowledgement. */
    BlockOpResponseProto opened() throws IOException {
        return BlockOpResponseProto.parseFrom(body(expect(WriteFrame.OPENED)));
    }

    /** Sends bytes of a block's contents; what lies before in their first chunk goes along. */
    void send(byte[] contents, int from, int to, int flags) throws IOException {
        int start = from / CHUNK_BYTES * CHUNK_BYTES;
        if (from == to) {
            start = to;
        }
        byte[] data = Arrays.copyOfRange(contents, start, to);
        sendFrame(start, data, sums(data), flags);
    }

    static ByteBuffer sums(byte[] data) {
        ByteBuffer sums = ByteBuffer.allocate(WriteData.sumBytes(data.length, CHUNK_BYTES));
        CHECKSUM.calculateChunkedSums(ByteBuffer.wrap(data), sums);
        return sums;
    }

    void sendFrame(long offset, byte[] data, ByteBuffer sums, int flags) throws IOException {
        number++;
        sendRaw(frame(offset, data, sums, flags).putLong(WriteFrame.HEADER_BYTES - Long.BYTES, number));
    }

    static ByteBuffer frame(long offset, byte[] data, ByteBuffer sums, int flags) {
        WriteData fields = new WriteData(offset, data.length);
        WriteFrame frame = fields.frame(CHUNK_BYTES, flags, 1);
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + frame.bodyBytes());
        frame.encode(out);
        fields.encode(out);
        return out.put(sums.rewind()).put(data).flip();
    }

    void sendRaw(ByteBuffer bytes) throws IOException {
        frames.send(bytes);
    }

    WriteFrame ping() throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 77).encode(out);
        frames.send(out.flip());
        return expect(WriteFrame.PING);
    }

    /** The next acknowledgement. */
    WriteAck ack(boolean last) throws IOException {
        WriteFrame frame = expect(WriteFrame.ACK);
        assertThat(frame.number()).isLessThanOrEqualTo(number);
        assertThat(frame.has(WriteFrame.ALL_FINALIZED)).isEqualTo(last);
        return WriteAck.decode(frame, ByteBuffer.wrap(body(frame)));
    }

    /** Takes acknowledgements until all DataNodes have the last frame. */
    WriteAck awaitAll(boolean last) throws IOException {
        WriteFrame frame = expect(WriteFrame.ACK);
        WriteAck ack = WriteAck.decode(frame, ByteBuffer.wrap(body(frame)));
        while (ack.replicatedNumber() < number) {
            frame = expect(WriteFrame.ACK);
            ack = WriteAck.decode(frame, ByteBuffer.wrap(body(frame)));
        }
        assertThat(frame.has(WriteFrame.ALL_FINALIZED)).isEqualTo(last);
        return ack;
    }

    /** Takes acknowledgements until the DataNode says why the block is not written any further. */
    BlockOpResponseProto awaitFailure() throws IOException {
        WriteFrame frame = receive();
        while (frame.type() == WriteFrame.ACK) {
            body(frame);
            frame = receive();
        }
        assertThat(frame.type()).isEqualTo(WriteFrame.FAILED);
        return BlockOpResponseProto.parseFrom(body(frame));
    }

    BlockOpResponseProto failure() throws IOException {
        return BlockOpResponseProto.parseFrom(body(expect(WriteFrame.FAILED)));
    }

    /** Whether the DataNode has closed the connection. */
    boolean hasEnded() {
        try {
            return frames.receive() == null;
        } catch (IOException e) {
            return true;
        }
    }

    WriteFrame receive() throws IOException {
        WriteFrame frame = frames.receive();
        if (frame == null) {
            throw new EOFException("the DataNode closed the connection");
        }
        return frame;
    }

    private WriteFrame expect(byte type) throws IOException {
        WriteFrame frame = receive();
        if (frame.type() == WriteFrame.FAILED && type != WriteFrame.FAILED) {
            throw new IOException(BlockOpResponseProto.parseFrom(body(frame)).toString());
        }
        assertThat(frame.type()).isEqualTo(type);
        return frame;
    }

    private byte[] body(WriteFrame frame) throws IOException {
        byte[] body = new byte[frame.bodyBytes()];
        frames.receiveBody(ByteBuffer.wrap(body));
        return body;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
