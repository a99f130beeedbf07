package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is held of the device goes back to what it was, however things end; by counting. */
final class VerbsResourcesTest extends ListenerFixture {
    private static final int LENGTH = OtherProcess.LENGTH;

    private Held before;

    @BeforeEach
    void hold() {
        before = Held.of(provider);
    }

    @Test
    void reads_thenClose_leaveNothing() throws Exception {
        RegionKey key = register("extent", LENGTH);
        for (int round = 0; round < 5; round++) {
            VerbsLink client = connect();
            VerbsExtent region = client.attach(key);
            for (int i = 0; i < 50; i++) {
                region.read(i * 4096L, ByteBuffer.allocate(4096), PATIENCE_NS);
            }
            region.read(0, ByteBuffer.allocate(LENGTH), PATIENCE_NS);
            assertThat(provider.deviceCounters().lentBuffers).hasValue(0);
            client.close();
        }
        listener.deregister(key);
        awaitHeld(before);
    }

    @Test
    void linkClosedWithReadsInFlight_completesEachAndLeavesNothing() throws Exception {
        RegionKey key = register("extent", LENGTH);
        VerbsLink client = connect();
        VerbsExtent region = client.attach(key);
        List<VerbsPiece> pieces = new ArrayList<>();
        for (int i = 0; i < 20 && provider.deviceCounters().lentBuffers.get() <= 80; i++) {
            pieces.add(region.begin(0, region.maxPieceBytes(), PATIENCE_NS));
        }
        client.close();
        for (VerbsPiece piece : pieces) {
            try (piece) {
                assertThat(piece.next(PATIENCE_NS).remaining()).isEqualTo(piece.lengthBytes());
            } catch (ChannelException e) {
                assertThat(e.status()).isEqualTo(TransferStatus.DISCONNECTED);
            }
        }
        listener.deregister(key);
        awaitHeld(before);
    }

    @Test
    void ownerKilled_failsReadsSoon_andLeavesNothing() throws Exception {
        Path extent = Files.write(dir.resolve("theirs"), new byte[LENGTH]);
        InetSocketAddress theirs = new InetSocketAddress(address.getAddress(), address.getPort() + 1);
        try (OtherProcess owner = OtherProcess.owner(theirs, extent)) {
            RegionKey key = RegionKey.of(owner.said(), 0, LENGTH, Access.READ);
            VerbsLink client = provider.connect(theirs, PATIENCE_NS);
            VerbsExtent region = client.attach(key);
            region.read(0, ByteBuffer.allocate(4096), PATIENCE_NS);
            owner.kill();
            long startNs = System.nanoTime();
            assertThatThrownBy(() -> readUntilItFails(region)).isInstanceOf(ChannelException.class);
            long failedNs = System.nanoTime() - startNs;
            System.out.println("owner killed: reads failed after " + failedNs / 1_000_000 + " ms");
            assertThat(failedNs).isLessThan(PATIENCE_NS);
            // The link has given back what it held, though nobody has closed it.
            awaitHeld(before);
            client.close();
        }
    }

    @Test
    void listenerClosedWhileOthersConnect_leavesNothing() throws Exception {
        for (int round = 0; round < 5; round++) {
            int least = round;
            VerbsListener own = serve();
            InetSocketAddress where = (InetSocketAddress) own.address();
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger connected = new AtomicInteger();
            Thread connecting = new Thread(() -> {
                while (!over.get()) {
                    try {
                        provider.connect(where, PATIENCE_NS).close();
                        connected.incrementAndGet();
                    } catch (IOException e) {
                        // Refused: nobody listens any more.
                        over.set(true);
                    }
                }
            });
            connecting.start();
            await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> connected.get() > least);
            own.close();
            own.close();
            connecting.join();
        }
        awaitHeld(before);
    }

    @Test
    void clientThatMayLockTooLittle_keepsNoDomain_andIsToldTheLimit() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "another user with a limit needs root");
        try (OtherProcess other = OtherProcess.clientOfLittleLockedMemory(address, 8 << 10)) {
            assertThat(other.said())
                    .contains("limit of locked memory: 8192 KB")
                    .contains("ibv_reg_mr failed with errno 12")
                    .endsWith("domains 0");
        }
    }

    @Test
    void clientKilledMidRead_leavesNothing() throws Exception {
        RegionKey key = register("extent", LENGTH);
        try (OtherProcess client = OtherProcess.reader(address, key)) {
            killAtWork(client, key);
        }
    }

    @Test
    void clientKilledMidWrite_leavesNothing_andNoOtherBytes() throws Exception {
        Path file = Files.write(dir.resolve("extent"), new byte[LENGTH]);
        RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ_WRITE);
        try (OtherProcess client = OtherProcess.writer(address, key)) {
            killAtWork(client, key);
        }
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).hasSize(LENGTH);
        for (byte value : bytes) {
            assertThat(value == 0 || value == OtherProcess.WRITTEN).isTrue();
        }
    }

    private void killAtWork(OtherProcess client, RegionKey key) throws Exception {
        assertThat(client.said()).isEqualTo("begun");
        assertThat(listener.connections()).isEqualTo(1);
        client.kill();
        await().atMost(PATIENCE_NS, TimeUnit.NANOSECONDS).until(() -> listener.connections() == 0);
        listener.deregister(key);
        awaitHeld(before);
    }

    private static void readUntilItFails(VerbsExtent region) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(4096);
        while (true) {
            region.read(0, target.clear(), PATIENCE_NS);
        }
    }
}
