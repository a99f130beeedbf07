package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteFrame;
import io.terrace.channel.write.WriteThrough;
import io.terrace.common.DaemonThreads;
import io.terrace.datanode.write.NextNode;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client says of the DataNodes after this one is its word alone. */
@Tag("cluster")
@Timeout(60)
class NextNodesTest {

    private static final int PORT_OFFSET = 1;

    @TempDir
    private Path dir;

    /** Opens each block that it is asked for, and counts them. */
    private static final class Listener implements Closeable {
        private final ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        final AtomicInteger opened = new AtomicInteger();
        private final Runnable whenAsked;

        /** @param whenAsked what happens before it opens a block */
        Listener(Runnable whenAsked) throws IOException {
            this.whenAsked = whenAsked;
            DaemonThreads.make("listener", this::serve).start();
        }

        private void serve() {
            try (FrameChannel frames = new FrameChannel(server.accept())) {
                frames.receiveBody(ByteBuffer.allocate(TcpFrame.HEADER_BYTES));
                for (WriteFrame open = frames.receive(); open != null; open = frames.receive()) {
                    frames.receiveBody(ByteBuffer.allocate(open.bodyBytes()));
                    whenAsked.run();
                    byte[] body = Answers.success();
                    ByteBuffer answer = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
                    new WriteFrame(body.length, WriteFrame.OPENED, (byte) 0, 0).encode(answer);
                    frames.send(answer.put(body).flip());
                    opened.incrementAndGet();
                }
            } catch (IOException | UncheckedIOException e) {
                // The test has ended, or wants the connection closed.
            }
        }

        /** Named as the client likes. */
        DatanodeInfo named(String uuid) throws IOException {
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort() - PORT_OFFSET;
            return new DatanodeInfoBuilder()
                    .setNodeID(new DatanodeID("127.0.0.1", "localhost", uuid, port, 1, 1, 1))
                    .build();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static WriteRequest request(DatanodeInfo target) throws IOException {
        return WriteRequest.parse(WriteRequests.withNext(target));
    }

    @Test
    void connection_ofAnAddress_isNotUsedForAnotherOfTheSameName() throws Exception {
        MiniDFSCluster.Builder one = new MiniDFSCluster.Builder(new HdfsConfiguration(), dir.toFile()).numDataNodes(1);
        try (MiniDFSCluster cluster = one.build();
                Listener hostile = new Listener(() -> {});
                Listener honest = new Listener(() -> {})) {
            NextNodes nodes = new NextNodes(cluster.getDataNodes().get(0), PORT_OFFSET);
            for (Listener each : List.of(hostile, hostile, honest)) {
                NextNode next = nodes.open(request(each.named("uuid of the honest one")), WriteThrough.NONE);
                assertThat(next).isNotNull();
                next.giveBack();
            }
            assertThat(hostile.opened).as("its own connection is used again").hasValue(2);
            assertThat(honest.opened).hasValue(1);
        }
    }

    @Test
    void interrupt_whileABlockIsOpened_isNoLackOfAChannel() throws Exception {
        MiniDFSCluster.Builder one = new MiniDFSCluster.Builder(new HdfsConfiguration(), dir.toFile()).numDataNodes(1);
        Thread opens = Thread.currentThread();
        try (MiniDFSCluster cluster = one.build();
                Listener listener = new Listener(() -> {
                    opens.interrupt();
                    throw new UncheckedIOException(new EOFException("it closes the connection"));
                })) {
            NextNodes nodes = new NextNodes(cluster.getDataNodes().get(0), PORT_OFFSET);
            WriteRequest request = request(listener.named("next"));

            assertThatThrownBy(() -> nodes.open(request, WriteThrough.NONE)).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
