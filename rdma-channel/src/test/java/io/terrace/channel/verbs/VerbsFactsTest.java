package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.rdmacore.MappedRange;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a device and its kernel do where the design relies on it; decision 0007 has what was seen. */
final class VerbsFactsTest extends ListenerFixture {
    private static final int LENGTH = 256 * 1024;

    private record Connected(VerbsLink client, VerbsLink server) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            client.close();
            server.close();
        }
    }

    private Connected connectBoth() throws Exception {
        VerbsLink client = connect();
        return new Connected(client, Objects.requireNonNull(listener.accept(PATIENCE_NS)));
    }

    private Path file(String name, int value) throws Exception {
        byte[] content = new byte[LENGTH];
        Arrays.fill(content, (byte) value);
        return Files.write(dir.resolve(name), content);
    }

    @Test
    void reads_thatRaceDeregistration_areRightOrFail_andNeverReturnOtherBytes() throws Exception {
        AtomicInteger right = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger disconnected = new AtomicInteger();
        for (int round = 1; round <= 20; round++) {
            Path file = file("race" + round, round);
            RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
            try (Connected connected = connectBoth()) {
                VerbsExtent region = connected.client.attach(key);
                AtomicBoolean over = new AtomicBoolean();
                byte expected = (byte) round;
                Thread reader = new Thread(() -> {
                    ByteBuffer target = ByteBuffer.allocateDirect(16 * 1024);
                    while (!over.get()) {
                        target.clear();
                        try {
                            region.read(0, target, PATIENCE_NS);
                        } catch (ChannelException e) {
                            (e.status() == TransferStatus.NO_ACCESS ? refused : disconnected).incrementAndGet();
                            return;
                        } catch (java.io.IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                        for (int i = 0; i < target.capacity(); i++) {
                            if (target.get(i) != expected) {
                                throw new AssertionError("other bytes");
                            }
                        }
                        right.incrementAndGet();
                    }
                });
                AtomicInteger wrong = new AtomicInteger();
                reader.setUncaughtExceptionHandler((thread, e) -> wrong.incrementAndGet());
                reader.start();
                Thread.sleep(20);
                listener.deregister(key);
                // The bytes go away and others come, as when an extent is freed and its room is used again.
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
                RegionKey next =
                        listener.register(new ExtentRange(file("next" + round, 100 + round), 0, LENGTH), Access.READ);
                Thread.sleep(20);
                over.set(true);
                reader.join();
                assertThat(wrong).hasValue(0);
                listener.deregister(next);
            }
        }
        System.out.println("reads racing deregistration: " + right + " right, " + refused + " no access, "
                + disconnected + " disconnected");
        assertThat(right.get()).isPositive();
        assertThat(refused.get() + disconnected.get()).isPositive();
    }

    @Test
    void aReadWithTheKeyOfADeregisteredRange_endsItsConnection_andALiveRangeOfItsOwnDoesNot() throws Exception {
        RegionKey live = listener.register(new ExtentRange(file("live", 1), 0, LENGTH), Access.READ);
        RegionKey gone = listener.register(new ExtentRange(file("gone", 2), 0, LENGTH), Access.READ);
        try (Connected first = connectBoth();
                Connected second = connectBoth()) {
            VerbsExtent liveRegion = first.client.attach(live);
            VerbsExtent goneRegion = first.client.attach(gone);
            VerbsExtent others = second.client.attach(live);
            listener.deregister(gone);
            assertThatThrownBy(() -> goneRegion.read(0, ByteBuffer.allocate(100), PATIENCE_NS))
                    .isInstanceOf(ChannelException.class);
            assertThat(first.client.hasEnded()).isTrue();
            assertThatThrownBy(() -> liveRegion.read(0, ByteBuffer.allocate(100), PATIENCE_NS))
                    .isInstanceOf(ChannelException.class);
            ByteBuffer target = ByteBuffer.allocate(100);
            others.read(0, target, PATIENCE_NS);
            assertThat(target.get(0)).isEqualTo((byte) 1);
        }
    }

    @Test
    void keys_areNotGivenAgain_untilTheyHaveRested() throws Exception {
        ProtectionDomain domain = new ProtectionDomain(
                com.ibm.disni.verbs.RdmaVerbs.open(), listenerDomain().device(), provider.deviceCounters(), false);
        NativeMemory memory = NativeMemory.allocate(4096);
        Set<Integer> seen = new HashSet<>();
        int again = 0;
        for (int i = 0; i < 1000; i++) {
            IbvMr registration = domain.register(memory.address(), 4096, IbvMr.IBV_ACCESS_REMOTE_READ);
            again += seen.add(registration.getRkey()) ? 0 : 1;
            domain.deregister(registration);
        }
        domain.close();
        System.out.println("1000 registrations one after the other: " + again + " had a key that another had before");
        Path file = file("rested", 1);
        Set<Integer> rested = new HashSet<>();
        try (Connected connected = connectBoth()) {
            for (int i = 0; i < 300; i++) {
                RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
                assertThat(rested.add(connected.client.attach(key).attachment().keys()[0]))
                        .isTrue();
                listener.deregister(key);
            }
        }
    }

    @Test
    void theFencedWord_neverSaysValid_forBytesThatAWriterHadChangedAfterItWasVoid() throws Exception {
        // The owner voids the word, then changes the bytes: a read whose word is valid must have the old bytes only.
        Path file = file("fenced", 0);
        int rights = 0;
        int refusals = 0;
        for (int round = 1; round <= 30; round++) {
            RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
            try (Connected connected = connectBoth();
                    MappedRange writer = MappedRange.of(file, LENGTH)) {
                VerbsExtent region = connected.client.attach(key);
                byte before = (byte) (round - 1);
                byte after = (byte) round;
                Thread owner = new Thread(() -> {
                    listener.voidWord(key);
                    writer.fill(after, LENGTH);
                });
                ByteBuffer target = ByteBuffer.allocateDirect(LENGTH);
                boolean valid = true;
                for (int read = 0; valid && read < 100; read++) {
                    if (read == 2) {
                        owner.start();
                    }
                    target.clear();
                    try {
                        region.read(0, target, PATIENCE_NS);
                        rights++;
                        for (int i = 0; i < LENGTH; i += 61) {
                            assertThat(target.get(i)).isEqualTo(before);
                        }
                    } catch (ChannelException e) {
                        assertThat(e.status()).isEqualTo(TransferStatus.NO_ACCESS);
                        valid = false;
                        refusals++;
                    }
                }
                owner.join();
            }
            listener.deregister(key);
        }
        System.out.println("reads fenced by a word: " + rights + " valid with the old bytes, " + refusals + " void");
        assertThat(refusals).isEqualTo(30);
    }

    @Test
    void aRegisteredFileUnderAppend_keepsItsBytes_andWhatIsAppendedIsNotReached() throws Exception {
        Path file = file("append", 7);
        RegionKey key = listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
        try (Connected connected = connectBoth()) {
            VerbsExtent region = connected.client.attach(key);
            Files.write(file, new byte[LENGTH], StandardOpenOption.APPEND);
            ByteBuffer target = ByteBuffer.allocateDirect(LENGTH);
            region.read(0, target, PATIENCE_NS);
            for (int i = 0; i < LENGTH; i++) {
                assertThat(target.get(i)).isEqualTo((byte) 7);
            }
            assertThatThrownBy(() -> region.read(LENGTH - 1, ByteBuffer.allocate(2), PATIENCE_NS))
                    .isInstanceOf(ChannelException.class);
            // An overwrite in place is seen: pinned pages are the file's own.
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {9}), 5);
            }
            ByteBuffer one = ByteBuffer.allocate(1);
            region.read(5, one, PATIENCE_NS);
            assertThat(one.get(0)).isEqualTo((byte) 9);
        }
    }

    @Test
    void aSharedMappingForReadingOnly_isPinned_byLinux62AndNewerOnly() throws Exception {
        String[] version = System.getProperty("os.version").split("[.-]");
        int release = 100 * Integer.parseInt(version[0]) + Integer.parseInt(version[1]);
        try (FileChannel channel = FileChannel.open(file("read", 1), StandardOpenOption.READ)) {
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
            long address = Pointer.nativeValue(Native.getDirectBufferPointer(mapped));
            ProtectionDomain domain = listenerDomain();
            if (release >= 602) {
                domain.deregister(domain.register(address, LENGTH, IbvMr.IBV_ACCESS_REMOTE_READ));
            } else {
                assertThatThrownBy(() -> domain.register(address, LENGTH, IbvMr.IBV_ACCESS_REMOTE_READ))
                        .hasMessageContaining("errno 14");
            }
            Reference.reachabilityFence(mapped);
        }
    }

    private ProtectionDomain listenerDomain() {
        return listener.domain();
    }
}
