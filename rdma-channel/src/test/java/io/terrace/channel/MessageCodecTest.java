package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.Message.Lease;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MessageCodecTest {
    private static final BlockKey BLOCK = new BlockKey("BP-17-127.0.0.1-1700000000000", 1073741825L, 1001);

    /** One of each type, fields at their edges. */
    private static List<Message> samples(Random random) {
        byte[] token = new byte[random.nextInt(MessageCodec.MAX_TOKEN_BYTES + 1)];
        random.nextBytes(token);
        List<Long> ids = LongStream.range(1, 1 + random.nextInt(MessageCodec.MAX_LIST + 1))
                .boxed()
                .toList();
        ExtentDescriptor descriptor =
                new ExtentDescriptor(BLOCK, StorageTier.NVM, random.nextLong(), 1L << 40, 1 << 25, 77);
        return List.of(
                new Message.Hello("DFSClient_é_1"),
                new Message.Welcome("uuid", "/dev/shm/slots", random.nextLong(), "/dev/shm/links"),
                new Message.Ask(5, new GrantRequest(BLOCK, token, random.nextBoolean())),
                new Message.Granted(5, new Grant(9, descriptor, "0123456789abcdef0123456789abcdef", 60_000)),
                new Message.Refused(6, new Refusal(RefusalReason.FAILED, "")),
                new Message.Refused(6, new Refusal(RefusalReason.FAILED, "x".repeat(10_000))),
                new Message.Opened(Long.MAX_VALUE),
                new Message.Release(ids),
                new Message.Renew(List.of()),
                new Message.Renewed(
                        ids.stream().map(id -> new Lease(id, id * 3)).toList()),
                new Message.Revoke(1, 2, 3),
                new Message.Revoked(-1),
                new Message.Report(
                        ids.stream().map(id -> new ReadReport(id, id, id * 7)).toList()),
                new Message.Goodbye(),
                new Message.StartWrites());
    }

    private static ByteBuffer frame(Message message) {
        ByteBuffer encoded = MessageCodec.encode(message);
        assertThat(encoded.getInt()).isEqualTo(encoded.remaining());
        return encoded;
    }

    @Test
    void decode_ofEncoded_isTheSameMessage() throws Exception {
        for (Message message : samples(new Random(3))) {
            assertThat(MessageCodec.decode(frame(message))).isEqualTo(message);
        }
    }

    @Test
    void encode_ofEveryType_staysWithinTheFrameLimit() {
        for (Message message : samples(new Random(4))) {
            assertThat(frame(message).remaining()).isLessThanOrEqualTo(MessageCodec.MAX_FRAME_BYTES);
        }
    }

    @Test
    void decode_ofEveryPrefixAndOfATrailer_isMalformed() {
        for (Message message : samples(new Random(5))) {
            ByteBuffer whole = frame(message);
            int length = whole.remaining();
            for (int cut = 0; cut < Math.min(length, 200); cut++) {
                ByteBuffer prefix = whole.slice(whole.position(), cut);
                assertThatThrownBy(() -> MessageCodec.decode(prefix)).isInstanceOf(MalformedMessageException.class);
            }
            ByteBuffer longer = ByteBuffer.allocate(length + 1).put(whole.duplicate());
            longer.clear();
            assertThatThrownBy(() -> MessageCodec.decode(longer)).isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void decode_ofMutatedMessages_isAMessageOrMalformed() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int malformed = 0;
        for (int round = 0; round < 3_000; round++) {
            for (Message message : samples(random)) {
                byte[] bytes = new byte[frame(message).remaining()];
                frame(message).get(bytes);
                for (int change = random.nextInt(4); change >= 0; change--) {
                    bytes[random.nextInt(Math.min(bytes.length, 64))] = (byte) random.nextInt();
                }
                try {
                    MessageCodec.decode(ByteBuffer.wrap(bytes));
                } catch (MalformedMessageException e) {
                    malformed++;
                } catch (RuntimeException e) {
                    throw new AssertionError("seed " + seed + " round " + round, e);
                }
            }
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            if (noise.length > 0) {
                noise[0] = MessageCodec.VERSION;
            }
            try {
                MessageCodec.decode(ByteBuffer.wrap(noise));
            } catch (MalformedMessageException e) {
                malformed++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + " noise " + round, e);
            }
        }
        assertThat(malformed).as("seed %d", seed).isGreaterThan(1_000);
    }

    @Test
    void encode_overALimit_isRefused() {
        GrantRequest large = new GrantRequest(BLOCK, new byte[MessageCodec.MAX_TOKEN_BYTES + 1], false);
        assertThatThrownBy(() -> MessageCodec.encode(new Message.Ask(1, large)))
                .isInstanceOf(IllegalArgumentException.class);
        List<Long> ids = LongStream.range(0, MessageCodec.MAX_LIST + 1).boxed().toList();
        assertThatThrownBy(() -> MessageCodec.encode(new Message.Release(ids)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void toString_ofTokenAndLink_keepsTheSecret() {
        assertThat(new GrantRequest(BLOCK, new byte[] {42, 43}, false).toString())
                .doesNotContain("42");
        ExtentDescriptor descriptor = new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 0, 1, 0, 0);
        assertThat(new Grant(1, descriptor, "secretname", 5).toString()).doesNotContain("secretname");
    }

    @Test
    void assembler_overAnyCutting_givesTheSameFrames() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Message> sent = new ArrayList<>();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            for (Message message : samples(random)) {
                sent.add(message);
                ByteBuffer encoded = MessageCodec.encode(message);
                wire.write(encoded.array(), 0, encoded.limit());
            }
        }
        ReadableByteChannel whole = Channels.newChannel(new ByteArrayInputStream(wire.toByteArray()));
        FrameDecoder frames = new FrameDecoder();
        List<Message> received = new ArrayList<>();
        ReadableByteChannel pieces = new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer target) throws java.io.IOException {
                ByteBuffer piece =
                        target.slice(target.position(), Math.min(target.remaining(), 1 + random.nextInt(9000)));
                int got = whole.read(piece);
                target.position(target.position() + Math.max(0, got));
                return got;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        while (frames.fill(pieces) >= 0) {
            for (ByteBuffer frame = frames.next(); frame != null; frame = frames.next()) {
                received.add(MessageCodec.decode(frame));
            }
        }
        assertThat(received).as("seed %d", seed).isEqualTo(sent);
        assertThat(frames.isPartial()).isFalse();
    }

    @Test
    void assembler_ofThousandsOfFramesAtOnce_takesAll_andMovesNoByte() throws Exception {
        FrameDecoder frames = new FrameDecoder();
        // A frame of the greatest length first, which makes the room that the small ones fill.
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        wire.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                .putInt(MessageCodec.MAX_FRAME_BYTES)
                .array());
        wire.writeBytes(new byte[MessageCodec.MAX_FRAME_BYTES]);
        ReadableByteChannel large = Channels.newChannel(new ByteArrayInputStream(wire.toByteArray()));
        while (frames.next() == null) {
            assertThat(frames.fill(large)).isPositive();
        }
        int count = 6500;
        byte[] report =
                new byte[MessageCodec.encode(new Message.Report(List.of())).remaining()];
        MessageCodec.encode(new Message.Report(List.of())).get(report);
        wire.reset();
        for (int i = 0; i < count; i++) {
            wire.writeBytes(report);
        }
        ByteBuffer[] filled = new ByteBuffer[1];
        ReadableByteChannel small = new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer target) {
                filled[0] = target;
                target.put(wire.toByteArray());
                return wire.size();
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        assertThat(frames.fill(small)).isEqualTo(count * report.length);
        long movedBytes = 0;
        int at = filled[0].position();
        for (int taken = 0; taken < count; taken++) {
            assertThat(MessageCodec.decode(Objects.requireNonNull(frames.next())))
                    .isEqualTo(new Message.Report(List.of()));
            // Whoever moves what is left moves the place where the next bytes go, too.
            movedBytes += filled[0].position() == at ? 0 : filled[0].position();
            at = filled[0].position();
        }
        assertThat(movedBytes).isZero();
        assertThat(frames.next()).isNull();
        assertThat(frames.isPartial()).isFalse();
    }

    @Test
    void assembler_ofAnEndlessFrame_isMalformed() throws Exception {
        FrameDecoder frames = new FrameDecoder();
        frames.fill(Channels.newChannel(new ByteArrayInputStream(new byte[] {0x7f, 0, 0, 0, 0})));
        assertThatThrownBy(frames::next).isInstanceOf(MalformedMessageException.class);
    }
}
