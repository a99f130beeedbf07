package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.DeviceCounters;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A device that refuses, gives keys again or does not let go: what is left of a registration then. */
final class RangeFaultsTest {
    private static final int LENGTH = 64 * 1024;
    private static final ChunkChecksums CHECKSUMS =
            new ChunkChecksums(ChecksumType.CRC32C, 512, new byte[LENGTH / 512 * 4]);

    /** The slab of buffers, and the validity words. */
    private static final int ALWAYS = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    private FakeDevice device;
    private DeviceCounters deviceCounters;
    private ProtectionDomain domain;
    private RangeRegistry book;
    private ExtentRange range;

    @BeforeEach
    void open() throws Exception {
        device = new FakeDevice();
        deviceCounters = new DeviceCounters();
        domain = new ProtectionDomain(device, device.context, deviceCounters, false);
        book = new RangeRegistry(domain, new VerbsLimits(4, 4, 8, 10 * LENGTH));
        range = new ExtentRange(Files.write(dir.resolve("extent"), new byte[LENGTH]), 0, LENGTH);
    }

    @AfterEach
    void close() throws Exception {
        device.close();
    }

    @Test
    void close_leavesNothing() throws Exception {
        book.register(range, Access.READ, CHECKSUMS);
        book.close();
        domain.close();
        assertThat(device.registered).isEmpty();
        assertThat(device.domains).isZero();
        assertThat(deviceCounters.domains).hasValue(0);
        assertThat(mappings()).isZero();
        assertThatThrownBy(() -> book.register(range, Access.READ, CHECKSUMS)).isInstanceOf(IOException.class);
    }

    @Test
    void refusalOfTheChecksums_givesBackTheBytesThatWereRegistered() throws Exception {
        device.registersLeft = 1;
        assertThatThrownBy(() -> book.register(range, Access.READ, CHECKSUMS)).hasMessageContaining("no more");
        assertNothingOfRanges();
        assertThat(mappings()).isZero();
        device.registersLeft = Integer.MAX_VALUE;
        for (int i = 0; i < 8; i++) {
            book.register(range, Access.READ, ChunkChecksums.NONE);
        }
    }

    @Test
    void errorOfTheMachine_givesBackWhatWasRegistered() {
        device.keys = number -> {
            if (number > ALWAYS + 1) {
                throw new OutOfMemoryError("planted");
            }
            return number;
        };
        assertThatThrownBy(() -> book.register(range, Access.READ, CHECKSUMS)).isInstanceOf(OutOfMemoryError.class);
        assertNothingOfRanges();
    }

    @Test
    void keysThatAreGivenAgainAtOnce_areNotUsed() throws Exception {
        device.keys = number -> Math.min(number, ALWAYS + 1);
        book.deregister(book.register(range, Access.READ, ChunkChecksums.NONE));
        assertThatThrownBy(() -> book.register(range, Access.READ, ChunkChecksums.NONE))
                .hasMessageContaining("keys again");
        assertNothingOfRanges();
    }

    @Test
    void slowRegistration_keepsNobodyFromOtherRanges() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        CountDownLatch reached = new CountDownLatch(1);
        device.keys = number -> {
            if (number == ALWAYS + 1) {
                reached.countDown();
                awaitUninterruptibly(slow);
            }
            return number;
        };
        FutureTask<RegionKey> first = new FutureTask<>(() -> book.register(range, Access.READ, ChunkChecksums.NONE));
        new Thread(first).start();
        reached.await();
        try {
            assertTimeoutPreemptively(PATIENCE, () -> {
                RegionKey second = book.register(range, Access.READ, ChunkChecksums.NONE);
                book.voidWord(second);
                book.deregister(second);
            });
        } finally {
            slow.countDown();
        }
        assertThat(book.find(first.get())).isNotNull();
        assertThat(book.rangeBytes()).isEqualTo(LENGTH);
        book.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deregistrationThatFails_keepsNoOtherFromBeingMade() throws Exception {
        RegionKey key = book.register(range, Access.READ, CHECKSUMS);
        device.stuckKey = ALWAYS + 1;
        assertThatThrownBy(() -> book.deregister(key)).isInstanceOf(IOException.class);
        assertThat(device.registered).hasSize(ALWAYS + 1).containsKey(device.stuckKey);
        assertThat(book.rangeBytes()).isZero();
        assertThat(book.ranges()).isZero();
        assertThat(book.find(key)).isNull();
    }

    @Test
    void addressesOfChecksums_rest() throws Exception {
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            RegionKey key = book.register(range, Access.READ, CHECKSUMS);
            assertThat(addresses.add(Objects.requireNonNull(book.find(key)).sumsAddress()))
                    .isTrue();
            book.deregister(key);
        }
        book.close();
    }

    @Test
    void checksums_areOutsideTheLimitOfDirectBuffers() throws Exception {
        long before = directBytes();
        for (int i = 0; i < 8; i++) {
            book.register(range, Access.READ, CHECKSUMS);
        }
        assertThat(directBytes()).isEqualTo(before);
        book.close();
    }

    @Test
    void buffersThatCannotBeRegistered_leaveNoDomain_andNameTheLimit() throws Exception {
        device.registersLeft = 0;
        assertThatThrownBy(() -> new ProtectionDomain(device, device.context, deviceCounters, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("14 MB")
                .hasMessageContaining("limit of locked memory: ");
        assertThat(device.domains).isEqualTo(1);
        assertThat(deviceCounters.domains).hasValue(1);
    }

    @Test
    @SuppressWarnings("NullAway") // Neither the id nor the queue is looked at.
    void queuePairThatCannotPost_isDestroyed() {
        FakeConnections connections = new FakeConnections();
        assertThatThrownBy(() -> new QueuePair(domain, connections, null, null, null, 0, 1))
                .hasMessageContaining("posted");
        assertThat(connections.pairs).hasValue(0);
        assertThat(deviceCounters.queuePairs).hasValue(0);
        assertThat(device.registered).hasSize(ALWAYS);
    }

    private void assertNothingOfRanges() {
        assertThat(device.registered).hasSize(ALWAYS);
        assertThat(deviceCounters.registrations).hasValue(ALWAYS);
        assertThat(book.rangeBytes()).isZero();
        assertThat(book.ranges()).isZero();
    }

    private long mappings() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.endsWith(range.file().toString()))
                .count();
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
