package io.terrace.channel.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.Attachment;
import io.terrace.channel.verbs.LandedMessage;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What goes over SEND: frames, attaches and their answers, whole and mangled. */
final class ControlFrameTest {
    private static final RegionKey KEY = new RegionKey(-1, 17, 1L << 44, (5L << 30) + 3, Access.READ_WRITE);
    private static final Attachment ANSWER =
            new Attachment(1L << 45, new int[] {1, -2, 3, 4, 5, 6}, 77, 8, 9, ChecksumType.CRC32C, 512, 1L << 46, 10);

    @Test
    void frame_comesBackAsItWas() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(2 * ControlFrame.FRAME_BYTES);
        ByteBuffer body = ByteBuffer.wrap(new byte[] {9, 8, 7, 6}).position(1);
        ControlFrame.put(buffer, 4096, ControlFrame.ATTACH, 12, -5, body);
        ControlFrame frame = ControlFrame.get(buffer, 4096, ControlFrame.HEADER_BYTES + 3);
        assertThat(frame).isEqualTo(new ControlFrame(ControlFrame.ATTACH, 12, -5, 3));
        assertThat(buffer.get(4096 + ControlFrame.HEADER_BYTES)).isEqualTo((byte) 8);
        assertThat(body.position()).isEqualTo(1);
    }

    @Test
    void frame_thatIsNotWhatItSays_isRefused() {
        ByteBuffer buffer = ByteBuffer.allocate(ControlFrame.FRAME_BYTES);
        ByteBuffer body = ByteBuffer.allocate(10);
        ControlFrame.put(buffer, 0, ControlFrame.MESSAGE, 0, 1, body);
        for (int received : new int[] {0, 15, 25, 27, 4097, -1}) {
            assertThatThrownBy(() -> ControlFrame.get(buffer, 0, received))
                    .isInstanceOf(MalformedMessageException.class);
        }
        ControlFrame.put(buffer, 0, (byte) 7, 0, 1, body);
        assertThatThrownBy(() -> ControlFrame.get(buffer, 0, 26)).isInstanceOf(MalformedMessageException.class);
        ControlFrame.put(buffer, 0, ControlFrame.MESSAGE, ControlFrame.WINDOW + 1, 1, body);
        assertThatThrownBy(() -> ControlFrame.get(buffer, 0, 26)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void creditsOfNone_areRefused() {
        ByteBuffer buffer = ByteBuffer.allocate(ControlFrame.FRAME_BYTES);
        ControlFrame.put(buffer, 0, ControlFrame.CREDIT, 0, 1, ByteBuffer.allocate(0));
        assertThatThrownBy(() -> ControlFrame.get(buffer, 0, ControlFrame.HEADER_BYTES))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void whatTheOtherSideNeverSays_isRefused() throws Exception {
        ControlFrame answer = new ControlFrame(ControlFrame.ATTACHED, 0, 1, 1);
        assertThatThrownBy(() -> answer.requireExpected(true, false)).isInstanceOf(MalformedMessageException.class);
        answer.requireExpected(false, false);
        ControlFrame message = new ControlFrame(ControlFrame.MESSAGE, 0, 1, 1);
        assertThatThrownBy(() -> message.requireExpected(true, false)).isInstanceOf(MalformedMessageException.class);
        message.requireExpected(true, true);
        new ControlFrame(ControlFrame.ATTACH, 0, 1, 1).requireExpected(true, false);
        new ControlFrame(ControlFrame.CREDIT, 8, 1, 0).requireExpected(true, false);
        ControlFrame landed = new ControlFrame(ControlFrame.LANDED, 0, 1, LandedMessage.BYTES);
        landed.requireExpected(true, false);
        assertThatThrownBy(() -> landed.requireExpected(false, true)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void attach_comesBackAsItWas() throws Exception {
        assertThat(Attachment.requested(Attachment.request(KEY))).isEqualTo(KEY);
        assertThat(Attachment.decode(ANSWER.encode(), KEY.lengthBytes())).isEqualTo(ANSWER);
        assertThat(Attachment.isRefusal(Attachment.refusal())).isTrue();
        assertThat(ANSWER.toString()).doesNotContain("-2");
    }

    @Test
    void attach_mangled_isRefusedOrAnotherAttach_andNothingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = random.nextBoolean()
                    ? ANSWER.encode().array().clone()
                    : Attachment.request(KEY).array().clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            ByteBuffer mangled = ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length + 1));
            try {
                Attachment unused = Attachment.decode(mangled.duplicate(), random.nextLong() >>> random.nextInt(64));
            } catch (MalformedMessageException e) {
                refused++;
            }
            try {
                RegionKey unused = Attachment.requested(mangled.duplicate());
            } catch (MalformedMessageException e) {
                refused++;
            }
        }
        assertThat(refused).as("seed %d", seed).isGreaterThan(20_000);
    }

    @Test
    void attach_ofMoreThanCanBeRegistered_isRefused() {
        Attachment none = new Attachment(1, new int[0], 2, 3, 4, ChecksumType.NONE, 1, 0, 0);
        assertThatThrownBy(() -> Attachment.decode(none.encode(), 1L << 62))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void segments_coverTheLength() {
        assertThat(Attachment.segments(0)).isEqualTo(1);
        assertThat(Attachment.segments(1 << 30)).isEqualTo(1);
        assertThat(Attachment.segments((1L << 30) + 1)).isEqualTo(2);
        assertThat(Attachment.segments(256L << 30)).isEqualTo(Attachment.MAX_SEGMENTS);
    }
}
