package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;

/** What waits for a slow reader: how much, how long, and how often it is tried. */
final class SendQueueTest {
    private static final int FRAME_BYTES = 100;

    private final ByteBuffer staging = ByteBuffer.allocate(1000);
    private final Narrow channel = new Narrow();
    private final SendQueue sendQueue = new SendQueue(channel, 4);

    @Test
    void flush_afterAShortWrite_isNotTriedBeforeTheChannelTakesMore() throws IOException {
        channel.room = FRAME_BYTES + 10;
        sendQueue.add(tcpResponse());
        sendQueue.add(tcpResponse());
        assertThat(sendQueue.flush(staging, 0)).isFalse();
        sendQueue.add(tcpResponse());
        assertThat(sendQueue.flush(staging, 0)).isFalse();
        assertThat(channel.writes).isEqualTo(1);
        channel.room = 1000;
        sendQueue.writable();
        assertThat(sendQueue.flush(staging, 0)).isTrue();
        assertThat(channel.writes).isEqualTo(2);
        assertThat(sendQueue.isEmpty()).isTrue();
    }

    @Test
    void reader_whoTakesALittleNowAndThen_isBehind() throws IOException {
        sendQueue.add(tcpResponse());
        sendQueue.add(tcpResponse());
        for (int second = 0; second <= 60; second++) {
            assertThat(sendQueue.isBehind(second, 60)).as("after %d", second).isFalse();
            take(1, second);
        }
        assertThat(sendQueue.isStuck(61, 10)).isFalse();
        assertThat(sendQueue.isBehind(61, 60)).isTrue();
    }

    @Test
    void reader_whoTakesWhatWaits_isNotBehind_howeverMuchComes() throws IOException {
        for (int second = 0; second < 500; second++) {
            sendQueue.add(tcpResponse());
            sendQueue.add(tcpResponse());
            take(2 * FRAME_BYTES - (second == 0 ? FRAME_BYTES : 0), second);
            assertThat(sendQueue.isEmpty()).isFalse();
            assertThat(sendQueue.isBehind(second, 60)).isFalse();
        }
    }

    @Test
    void reader_whoHasTakenAll_isNotBehindWhenSomethingComesMuchLater() throws IOException {
        sendQueue.add(tcpResponse());
        assertThat(sendQueue.isBehind(0, 60)).isFalse();
        take(FRAME_BYTES, 1);
        sendQueue.add(tcpResponse());
        assertThat(sendQueue.isBehind(1000, 60)).isFalse();
        assertThat(sendQueue.isBehind(1060, 60)).isFalse();
        assertThat(sendQueue.isBehind(1061, 60)).isTrue();
    }

    @Test
    void unasked_isBoundedInBytes_andAnswersDoNotCount() throws IOException {
        sendQueue.add(tcpResponse());
        assertThat(sendQueue.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
        assertThat(sendQueue.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
        assertThat(sendQueue.addUnasked(unasked(), 2 * FRAME_BYTES)).isFalse();
        take(2 * FRAME_BYTES - 1, 0);
        assertThat(sendQueue.addUnasked(unasked(), 2 * FRAME_BYTES)).isFalse();
        take(1, 0);
        assertThat(sendQueue.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
    }

    private void take(int bytes, long nowNs) throws IOException {
        channel.room = bytes;
        sendQueue.writable();
        boolean unused = sendQueue.flush(staging, nowNs);
        assertThat(channel.room).isZero();
    }

    private static TcpResponse tcpResponse() {
        return new TcpResponse.Ready(frame());
    }

    private static TcpResponse.Unasked unasked() {
        return new TcpResponse.Unasked(frame());
    }

    private static byte[] frame() {
        return TcpResponse.Ready.frame(TcpFrame.MESSAGE, TransferStatus.DONE, 0, FRAME_BYTES - TcpFrame.HEADER_BYTES)
                .array();
    }

    /** Takes as much as it has room for. */
    private static final class Narrow implements WritableByteChannel {
        private int room;
        private int writes;

        @Override
        public int write(ByteBuffer source) {
            writes++;
            int bytes = Math.min(room, source.remaining());
            source.position(source.position() + bytes);
            room -= bytes;
            return bytes;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
