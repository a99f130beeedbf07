package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.LandingWindow.Place;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Landing windows on a real device: what is written arrives before it is announced, and late or foreign writes change nothing. */
final class VerbsWindowTest extends ListenerFixture {
    private static final int WINDOW_BYTES = 4 << 20;
    private static final int FRAME_BYTES = 1 << 20;

    private VerbsListener server;
    private Held before;
    private RegisteredWindow window;

    /** Clients of a DataNode only attach. */
    @BeforeEach
    void serveWindow() throws Exception {
        server = serve();
        before = Held.of(provider);
        window = server.openWindow(WINDOW_BYTES, () -> {});
    }

    @AfterEach
    void leaveNothing() throws Exception {
        if (server != null) {
            window.close();
            awaitHeld(before);
            server.close();
        }
    }

    private WindowWriter attach(RegionKey key) throws IOException {
        VerbsLink link = provider.connect(server.address(), PATIENCE_NS);
        try {
            return link.window(key, PATIENCE_NS);
        } catch (IOException e) {
            link.close();
            throw e;
        }
    }

    /** Until the device takes it: buffers and credits are given back when earlier ones are complete. */
    private static void write(WindowWriter writer, int at, byte[] data) throws Exception {
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!writer.write(at, ByteBuffer.wrap(data))) {
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            Thread.sleep(1);
        }
    }

    private byte[] read(RegisteredWindow from, Place place) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(place.bytes());
        from.read(place.at(), read);
        return read.array();
    }

    private static byte[] random(Random random, int bytes) {
        byte[] made = new byte[bytes];
        random.nextBytes(made);
        return made;
    }

    @Test
    void data_isThereWhenItIsAnnounced_withNoRegistration_andOneOrTwoPostsAFrame() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (WindowWriter writer = attach(window.key())) {
            write(writer, 0, new byte[1]);
            assertThat(window.next()).isEqualTo(new Place(0, 1));
            long registrations = provider.deviceCounters().registrations.get();
            long posts = provider.deviceCounters().posts.sum();
            int frames = 60;
            for (int i = 0; i < frames; i++) {
                byte[] data = random(random, 1 + random.nextInt(FRAME_BYTES));
                int at = random.nextInt(WINDOW_BYTES - data.length + 1);
                write(writer, at, data);
                Place place = window.next();
                assertThat(place).as("seed %d", seed).isEqualTo(new Place(at, data.length));
                assertThat(read(window, place)).as("seed %d, frame %d", seed, i).isEqualTo(data);
            }
            assertThat(provider.deviceCounters().registrations.get()).isEqualTo(registrations);
            assertThat(provider.deviceCounters().posts.sum() - posts).isBetween((long) frames, 2L * frames);
        }
    }

    /** What is under way at one time is bounded by buffers and credits; all of it arrives in order. */
    @Test
    void manyFrames_underWay_arriveInOrder() throws Exception {
        Random random = new Random(5);
        byte[][] data = new byte[40][];
        int bytes = WINDOW_BYTES / data.length;
        try (WindowWriter writer = attach(window.key())) {
            for (int i = 0; i < data.length; i++) {
                data[i] = random(random, bytes);
                write(writer, i * bytes, data[i]);
            }
            for (int i = 0; i < data.length; i++) {
                Place place = window.next();
                assertThat(place).isEqualTo(new Place(i * bytes, bytes));
                assertThat(read(window, place)).isEqualTo(data[i]);
            }
        }
    }

    /** The window is gone: the late writer loses its own connection, and nobody else anything. */
    @Test
    void lateWrite_endsItsConnection_andChangesNothingOfOthers() throws Exception {
        RegisteredWindow other = server.openWindow(WINDOW_BYTES, () -> {});
        try (WindowWriter late = attach(window.key());
                WindowWriter writer = attach(other.key())) {
            byte[] data = random(new Random(6), FRAME_BYTES);
            write(writer, 0, data);
            Place place = other.next();
            window.close();
            write(late, 0, new byte[FRAME_BYTES]);
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> hasEnded(late));
            assertThat(read(other, place)).isEqualTo(data);
            write(writer, 0, data);
            assertThat(other.next()).isEqualTo(place);
        } finally {
            other.close();
        }
    }

    private static boolean hasEnded(WindowWriter writer) throws IOException {
        try {
            boolean unused = writer.write(0, ByteBuffer.allocate(1));
            return writer.hasEnded();
        } catch (ChannelException e) {
            return true;
        }
    }

    /** The 128 bits that a DataNode tells one client lead there, nothing else does. */
    @Test
    void window_withAnotherKey_isNotAttached() throws Exception {
        RegionKey key = window.key();
        RegionKey guessed = new RegionKey(key.high(), key.low() ^ 1, 0, WINDOW_BYTES, Access.READ_WRITE);
        assertThatThrownBy(() -> attach(guessed)).isInstanceOf(ChannelException.class);
        window.close();
        assertThatThrownBy(() -> attach(key)).isInstanceOf(ChannelException.class);
    }

    /** The device takes no reads of it: what one client writes is not for another. */
    @Test
    void window_cannotBeRead() throws Exception {
        VerbsLink link = provider.connect(server.address(), PATIENCE_NS);
        try (link) {
            VerbsExtent extent = link.attach(window.key());
            assertThatThrownBy(() -> extent.read(0, ByteBuffer.allocate(100), PATIENCE_NS))
                    .isInstanceOf(ChannelException.class);
        }
    }

    @Test
    void clientThatGoes_leavesTheWindowToItsOwner() throws Exception {
        WindowWriter writer = attach(window.key());
        write(writer, 0, new byte[FRAME_BYTES]);
        Place place = window.next();
        writer.close();
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> server.connections() == 0);
        assertThat(read(window, place)).isEqualTo(new byte[FRAME_BYTES]);
    }
}
