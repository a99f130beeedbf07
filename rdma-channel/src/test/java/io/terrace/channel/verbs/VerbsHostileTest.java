package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.ControlFrame;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Who keeps to no rule loses the connection, gets nothing and leaves nothing; the others go on. What an honest client does
 * wrong on purpose here, it does with keys of the device that it has been told of.
 */
final class VerbsHostileTest extends ListenerFixture {
    private static final int LENGTH = 64 * 1024;

    private Held before;
    private RegionKey key;

    @BeforeEach
    void extent() throws Exception {
        before = Held.of(provider);
        key = register("extent", LENGTH);
    }

    @AfterEach
    void othersGoOn_andNothingIsLeft() throws Exception {
        if (key != null) {
            try (VerbsLink client = connect()) {
                client.attach(key).read(0, ByteBuffer.allocate(10), PATIENCE_NS);
            }
            listener.deregister(key);
            awaitHeld(before);
        }
    }

    private static byte[] frame(int type, int credits, int bodyBytes) {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.HEADER_BYTES + bodyBytes);
        ControlFrame.put(frame, 0, (byte) type, credits, 1, ByteBuffer.allocate(bodyBytes));
        return frame.array();
    }

    private void assertEnded(byte[]... frames) throws Exception {
        try (RawPeer hostile = new RawPeer(address)) {
            for (byte[] frame : frames) {
                hostile.send(frame);
            }
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(hostile::hasEnded);
        }
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> listener.connections() == 0);
    }

    @Test
    void aFrameOfAnUnknownType_endsTheConnection() throws Exception {
        assertEnded(frame(99, 0, 20));
    }

    @Test
    void aFrameThatWasTruncated_endsTheConnection() throws Exception {
        assertEnded(Arrays.copyOf(frame(ControlFrame.MESSAGE, 0, 100), 80));
        assertEnded(Arrays.copyOf(frame(ControlFrame.MESSAGE, 0, 100), 7));
        assertEnded(new byte[0]);
    }

    @Test
    void aFrameLargerThanAnyBuffer_endsTheConnection() throws Exception {
        assertEnded(new byte[ControlFrame.FRAME_BYTES + 1]);
    }

    @Test
    void anAttachThatWasTruncated_endsTheConnection() throws Exception {
        assertEnded(frame(ControlFrame.ATTACH, 0, Attachment.ATTACH_BYTES - 1));
    }

    @Test
    void creditsForWhatWasNotSent_endTheConnection() throws Exception {
        assertEnded(frame(ControlFrame.CREDIT, ControlFrame.WINDOW, 0));
    }

    @Test
    void aMessageWithoutEnd_endsTheConnection() throws Exception {
        byte[] part = frame(ControlFrame.PART, 0, ControlFrame.MAX_BODY_BYTES);
        byte[][] parts = new byte[17][];
        Arrays.fill(parts, part);
        assertEnded(parts);
    }

    @Test
    void aMessageWhereNobodyTakesAny_endsTheConnection() throws Exception {
        try (VerbsListener own = serve()) {
            for (byte type : new byte[] {ControlFrame.PART, ControlFrame.MESSAGE}) {
                try (RawPeer hostile = new RawPeer((InetSocketAddress) own.address())) {
                    hostile.send(frame(type, 0, 100));
                    await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(hostile::hasEnded);
                }
            }
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> own.connections() == 0);
        }
    }

    @Test
    void whoAttachesNothing_losesThePlace_andWhoHasAttachedKeepsIt() throws Exception {
        try (VerbsListener own = serve();
                VerbsLink honest = provider.connect(own.address(), PATIENCE_NS);
                VerbsLink guessing = provider.connect(own.address(), PATIENCE_NS)) {
            RegionKey extent = own.register(new ExtentRange(dir.resolve("extent"), 0, LENGTH), Access.READ);
            VerbsExtent region = honest.attach(extent);
            RegionKey guessed = new RegionKey(1, 2, 0, LENGTH, Access.READ);
            assertThatThrownBy(() -> guessing.attach(guessed)).isInstanceOf(ChannelException.class);
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(guessing::hasEnded);
            region.read(0, ByteBuffer.allocate(10), PATIENCE_NS);
            assertThat(own.connections()).isEqualTo(1);
        }
    }

    @Test
    void moreFramesThanCredits_endTheConnection() throws Exception {
        byte[][] messages = new byte[ControlFrame.WINDOW + ControlFrame.RESERVE + 1][];
        Arrays.fill(messages, frame(ControlFrame.MESSAGE, 0, 1));
        assertEnded(messages);
    }

    @Test
    void randomFrames_endTheConnection_unlessTheyAreFrames() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int ended = 0;
        for (int round = 0; round < 20; round++) {
            byte[] frame = frame(1 + random.nextInt(5), 0, random.nextInt(60));
            for (int i = random.nextInt(3); i >= 0; i--) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            try (RawPeer hostile = new RawPeer(address)) {
                hostile.send(frame);
                if (!isFrame(frame)) {
                    await().alias("seed " + seed + " round " + round)
                            .atMost(PATIENCE_NS, TimeUnit.NANOSECONDS)
                            .until(hostile::hasEnded);
                    ended++;
                }
            }
        }
        assertThat(ended).as("seed %d", seed).isPositive();
    }

    private static boolean isFrame(byte[] frame) {
        try {
            ControlFrame unused = ControlFrame.get(ByteBuffer.wrap(frame), 0, frame.length);
            return true;
        } catch (MalformedMessageException e) {
            return false;
        }
    }

    @Test
    void anAnswerToTheOwner_orCreditsOfNone_endTheConnection() throws Exception {
        assertEnded(frame(ControlFrame.ATTACHED, 0, 20));
        assertEnded(frame(ControlFrame.CREDIT, 0, 0));
    }

    @Test
    void aGuessedKeyOfTheDevice_isRefusedByIt_andEndsTheGuessersConnection() throws Exception {
        RegionKey other = register("other", LENGTH);
        try (VerbsLink client = connect()) {
            Attachment told = client.attach(key).attachment();
            int guess = told.keys()[0] ^ 0x55;
            assertRefused(client, new VerbsExtent(client, key, withKeyAndAddress(told, guess, told.address())));
        }
        listener.deregister(other);
    }

    @Test
    void aKeyOfOneExtent_doesNotReachAnother() throws Exception {
        RegionKey other = register("other", LENGTH);
        try (VerbsLink client = connect()) {
            Attachment told = client.attach(key).attachment();
            Attachment others = client.attach(other).attachment();
            assertRefused(
                    client, new VerbsExtent(client, key, withKeyAndAddress(told, told.keys()[0], others.address())));
        }
        listener.deregister(other);
    }

    @Test
    void aKeyForReading_doesNotWrite() throws Exception {
        Path file = Files.write(dir.resolve("read only"), new byte[LENGTH]);
        RegionKey forReading = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
        RegionKey claimed =
                new RegionKey(forReading.high(), forReading.low(), 0, forReading.lengthBytes(), Access.READ_WRITE);
        try (VerbsLink client = connect()) {
            VerbsExtent region =
                    new VerbsExtent(client, claimed, client.attach(forReading).attachment());
            assertThatThrownBy(() -> region.write(0, ByteBuffer.wrap(new byte[] {1, 2, 3}), PATIENCE_NS))
                    .isInstanceOfSatisfying(
                            ChannelException.class, e -> assertThat(e.status()).isEqualTo(TransferStatus.NO_ACCESS));
            assertThat(client.hasEnded()).isTrue();
        }
        assertThat(Files.readAllBytes(file)).containsOnly(0);
        listener.deregister(forReading);
    }

    @Test
    void anOwnerThatSendsNoFrames_losesItsClient_whoLeavesNothing() throws Exception {
        try (VerbsLink client = connect();
                VerbsLink owner = Objects.requireNonNull(listener.accept(PATIENCE_NS))) {
            VerbsExtent region = client.attach(key);
            owner.transmit((byte) 99, 1, ByteBuffer.allocate(20));
            assertThatThrownBy(() -> client.receive(PATIENCE_NS)).isInstanceOf(EOFException.class);
            assertThat(client.hasEnded()).isTrue();
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), PATIENCE_NS))
                    .isInstanceOf(ChannelException.class);
        }
    }

    private static void assertRefused(VerbsLink client, VerbsExtent region) {
        assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(4096), PATIENCE_NS))
                .isInstanceOfSatisfying(
                        ChannelException.class, e -> assertThat(e.status()).isEqualTo(TransferStatus.NO_ACCESS));
        assertThat(client.hasEnded()).isTrue();
    }

    private static Attachment withKeyAndAddress(Attachment told, int deviceKey, long address) {
        return new Attachment(
                address,
                new int[] {deviceKey},
                told.wordAddress(),
                told.wordKey(),
                told.word(),
                told.sumsKind(),
                told.chunkBytes(),
                told.sumsAddress(),
                told.sumsKey());
    }
}
