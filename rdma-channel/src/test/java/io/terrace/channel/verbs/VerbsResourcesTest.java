package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.Access;
import io.terrace.channel.ChannelException;
import io.terrace.channel.Completion;
import io.terrace.channel.Link;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.RemoteRegion;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is held of the device goes back to what it was, however things end; by counting. */
final class VerbsResourcesTest extends ListeningBed {
    private static final int LENGTH = 4 << 20;

    private Held before;

    private record Held(long queuePairs, long registrations, long registeredBytes, long lentBuffers) {
        static Held of(VerbsProvider provider) {
            Counts counts = provider.counts();
            return new Held(
                    counts.queuePairs.get(),
                    counts.registrations.get(),
                    counts.registeredBytes.get(),
                    counts.lentBuffers.get());
        }
    }

    @BeforeEach
    void hold() {
        before = Held.of(provider);
    }

    @Test
    void reads_thenClose_leaveNothing() throws Exception {
        RegionKey key = register("extent");
        for (int round = 0; round < 5; round++) {
            VerbsLink client = provider.connect(address, 5 * SECOND_NS);
            VerbsRegion region = client.attach(key);
            for (int i = 0; i < 50; i++) {
                region.read(i * 4096L, ByteBuffer.allocate(4096), SECOND_NS);
            }
            region.read(0, ByteBuffer.allocate(LENGTH), 20 * SECOND_NS);
            assertThat(provider.counts().lentBuffers).hasValue(0);
            client.close();
        }
        listener.deregister(key);
        awaitHeld();
    }

    @Test
    void linkClosedWithReadsInFlight_completesEachAndLeavesNothing() throws Exception {
        RegionKey key = register("extent");
        VerbsLink client = provider.connect(address, 5 * SECOND_NS);
        VerbsRegion region = client.attach(key);
        for (int i = 0; i < 20; i++) {
            region.postRead(0, ByteBuffer.allocateDirect(600_000), 10 * SECOND_NS);
            if (provider.counts().lentBuffers.get() > 80) {
                break;
            }
        }
        client.close();
        List<Completion> ends = new ArrayList<>();
        client.poll(ends::add, 1000);
        assertThat(ends).isNotEmpty();
        listener.deregister(key);
        awaitHeld();
    }

    @Test
    void malformedFrames_endTheConnection_andLeaveNothing() throws Exception {
        RegionKey key = register("extent");
        for (int shape = 0; shape < 5; shape++) {
            VerbsLink hostile = provider.connect(address, 5 * SECOND_NS);
            Link server = Objects.requireNonNull(listener.accept(5 * SECOND_NS));
            ByteBuffer some = ByteBuffer.allocate(20);
            switch (shape) {
                case 0 -> hostile.transmit((byte) 99, 1, some);
                case 1 -> hostile.transmit(ControlFrame.ATTACH, 1, some);
                case 2 -> hostile.transmit(
                        ControlFrame.CREDIT, 1, ByteBuffer.allocate(0).limit(0));
                case 3 -> {
                    for (int i = 0; i < 17; i++) {
                        hostile.transmit(ControlFrame.PART, 1, ByteBuffer.allocate(ControlFrame.MAX_BODY_BYTES));
                        await().until(() -> hostile.poll(unused -> {}, 1) == 0);
                        Thread.sleep(20);
                    }
                }
                default -> hostile.transmit(ControlFrame.ATTACHED, 7, some);
            }
            if (shape != 2 && shape != 4) {
                assertThatThrownBy(() -> server.receive(5 * SECOND_NS)).isInstanceOf(IOException.class);
                await().until(() -> {
                    hostile.poll(unused -> {}, 1);
                    return hostile.hasEnded();
                });
            }
            hostile.close();
        }
        // Others go on.
        try (VerbsLink client = provider.connect(address, 5 * SECOND_NS)) {
            client.attach(key).read(0, ByteBuffer.allocate(10), SECOND_NS);
        }
        listener.deregister(key);
        awaitHeld();
    }

    @Test
    void ownerKilled_failsReadsSoon_andLeavesNothing() throws Exception {
        Path extent = Files.write(dir.resolve("theirs"), new byte[LENGTH]);
        InetSocketAddress theirs = new InetSocketAddress(address.getAddress(), address.getPort() + 1);
        Process owner = start(OtherProcess.class, "own", theirs, extent.toString());
        try (BufferedReader said = owner.inputReader(StandardCharsets.UTF_8)) {
            RegionKey key = RegionKey.of(Objects.requireNonNull(said.readLine()), 0, LENGTH, Access.READ);
            VerbsLink client = provider.connect(theirs, 5 * SECOND_NS);
            VerbsRegion region = client.attach(key);
            region.read(0, ByteBuffer.allocate(4096), SECOND_NS);
            owner.destroyForcibly().waitFor();
            long startNs = System.nanoTime();
            assertThatThrownBy(() -> readUntilItFails(region)).isInstanceOf(ChannelException.class);
            long failedNs = System.nanoTime() - startNs;
            System.out.println("owner killed: reads failed after " + failedNs / 1_000_000 + " ms");
            assertThat(failedNs).isLessThan(10 * SECOND_NS);
            client.close();
            awaitHeld();
        } finally {
            owner.destroyForcibly();
        }
    }

    @Test
    void clientKilledMidRead_leavesNothing() throws Exception {
        RegionKey key = register("extent");
        Process client = start(OtherProcess.class, "read", address, key.digits());
        try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("reading");
            assertThat(listener.connections()).isEqualTo(1);
            client.destroyForcibly().waitFor();
            await().atMost(20, TimeUnit.SECONDS).until(() -> listener.connections() == 0);
            listener.deregister(key);
            awaitHeld();
        } finally {
            client.destroyForcibly();
        }
    }

    @Test
    void register_overTheBound_isRefused_andLeavesNothing() throws Exception {
        VerbsLimits small = new VerbsLimits(16, 4, 3, 2L * LENGTH);
        try (VerbsProvider bounded = VerbsBed.provider(small);
                VerbsListener own = bounded.listen(VerbsBed.address(bounded))) {
            Held unused = Held.of(bounded);
            Path file = Files.write(dir.resolve("bounded"), new byte[LENGTH]);
            RegionKey first = own.register(new Range(file, 0, LENGTH), Access.READ);
            RegionKey second = own.register(new Range(file, 0, LENGTH), Access.READ);
            assertThatThrownBy(() -> own.register(new Range(file, 0, LENGTH), Access.READ))
                    .isInstanceOf(IOException.class);
            own.deregister(first);
            own.deregister(second);
            assertThat(Held.of(bounded)).isEqualTo(unused);
            assertThat(own.rangeBytes()).isZero();
        }
    }

    private void awaitHeld() {
        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(Held.of(provider)).isEqualTo(before));
    }

    private RegionKey register(String name) throws IOException {
        return listener.register(new Range(Files.write(dir.resolve(name), new byte[LENGTH]), 0, LENGTH), Access.READ);
    }

    private static void readUntilItFails(RemoteRegion region) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(4096);
        while (true) {
            region.read(0, target.clear(), 10 * SECOND_NS);
        }
    }

    private static Process start(Class<?> main, String what, InetSocketAddress where, String argument)
            throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=200m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        what,
                        where.getAddress().getHostAddress(),
                        String.valueOf(where.getPort()),
                        argument)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The other end in a process of its own, to be killed. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) throws Exception {
            VerbsProvider provider = VerbsProvider.open(VerbsLimits.DEFAULT, false);
            InetSocketAddress where = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
            if (arguments[0].equals("own")) {
                VerbsListener listener = provider.listen(where);
                RegionKey key = listener.register(new Range(Path.of(arguments[3]), 0, LENGTH), Access.READ);
                System.out.println(key.digits());
                Thread.sleep(600_000);
            }
            VerbsLink link = provider.connect(where, 5 * SECOND_NS);
            VerbsRegion region = link.attach(RegionKey.of(arguments[3], 0, LENGTH, Access.READ));
            ByteBuffer target = ByteBuffer.allocateDirect(1 << 20);
            region.read(0, target, 10 * SECOND_NS);
            System.out.println("reading");
            while (true) {
                region.read(0, target.clear(), 10 * SECOND_NS);
            }
        }
    }
}
