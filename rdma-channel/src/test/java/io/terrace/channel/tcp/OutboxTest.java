package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Completion.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;

/** What waits for a slow reader: how much, how long, and how often it is tried. */
final class OutboxTest {
    private static final int FRAME_BYTES = 100;

    private final ByteBuffer staging = ByteBuffer.allocate(1000);
    private final Narrow channel = new Narrow();
    private final Outbox outbox = new Outbox(channel, 4);

    @Test
    void flush_afterAShortWrite_isNotTriedBeforeTheChannelTakesMore() throws IOException {
        channel.room = FRAME_BYTES + 10;
        outbox.add(answer());
        outbox.add(answer());
        assertThat(outbox.flush(staging, 0)).isFalse();
        outbox.add(answer());
        assertThat(outbox.flush(staging, 0)).isFalse();
        assertThat(channel.writes).isEqualTo(1);
        channel.room = 1000;
        outbox.writable();
        assertThat(outbox.flush(staging, 0)).isTrue();
        assertThat(channel.writes).isEqualTo(2);
        assertThat(outbox.isEmpty()).isTrue();
    }

    @Test
    void reader_whoTakesALittleNowAndThen_isBehind() throws IOException {
        outbox.add(answer());
        outbox.add(answer());
        for (int second = 0; second <= 60; second++) {
            assertThat(outbox.isBehind(second, 60)).as("after %d", second).isFalse();
            take(1, second);
        }
        assertThat(outbox.isStuck(61, 10)).isFalse();
        assertThat(outbox.isBehind(61, 60)).isTrue();
    }

    @Test
    void reader_whoTakesWhatWaits_isNotBehind_howeverMuchComes() throws IOException {
        for (int second = 0; second < 500; second++) {
            outbox.add(answer());
            outbox.add(answer());
            take(2 * FRAME_BYTES - (second == 0 ? FRAME_BYTES : 0), second);
            assertThat(outbox.isEmpty()).isFalse();
            assertThat(outbox.isBehind(second, 60)).isFalse();
        }
    }

    @Test
    void reader_whoHasTakenAll_isNotBehindWhenSomethingComesMuchLater() throws IOException {
        outbox.add(answer());
        assertThat(outbox.isBehind(0, 60)).isFalse();
        take(FRAME_BYTES, 1);
        outbox.add(answer());
        assertThat(outbox.isBehind(1000, 60)).isFalse();
        assertThat(outbox.isBehind(1060, 60)).isFalse();
        assertThat(outbox.isBehind(1061, 60)).isTrue();
    }

    @Test
    void unasked_isBoundedInBytes_andAnswersDoNotCount() throws IOException {
        outbox.add(answer());
        assertThat(outbox.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
        assertThat(outbox.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
        assertThat(outbox.addUnasked(unasked(), 2 * FRAME_BYTES)).isFalse();
        take(2 * FRAME_BYTES - 1, 0);
        assertThat(outbox.addUnasked(unasked(), 2 * FRAME_BYTES)).isFalse();
        take(1, 0);
        assertThat(outbox.addUnasked(unasked(), 2 * FRAME_BYTES)).isTrue();
    }

    private void take(int bytes, long nowNs) throws IOException {
        channel.room = bytes;
        outbox.writable();
        boolean unused = outbox.flush(staging, nowNs);
        assertThat(channel.room).isZero();
    }

    private static Answer answer() {
        return new Answer.Ready(frame());
    }

    private static Answer.Unasked unasked() {
        return new Answer.Unasked(frame());
    }

    private static byte[] frame() {
        return Answer.Ready.frame(Wire.MESSAGE, Status.DONE, 0, FRAME_BYTES - Wire.HEADER_BYTES)
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
