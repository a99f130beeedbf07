package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.ReadReport;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The states of a grant: live, leased, ended amid reads; over a content in memory and a clock that the test moves. */
final class LocalGrantTest {
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 2);
    private static final long LEASE_MS = 1_000;
    private static final int LENGTH = 100;
    private static final long REPORT_BYTES = 50;

    @TempDir
    Path dir;

    private final FakeContent content = new FakeContent();
    private final List<String> ends = new ArrayList<>();
    private final AtomicInteger reportsWanted = new AtomicInteger();
    private long nowNs = 7;
    private SlotTable table;
    private int slot;
    private LocalGrant grant;

    private interface Event {
        void happen() throws IOException;
    }

    /** Gives zeros, after something has happened. */
    private static final class FakeContent implements LocalGrant.Content {
        private Event amid = () -> {};
        private boolean whole = true;
        private final AtomicInteger reading = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger readingWhenClosed = new AtomicInteger();
        private volatile int reads;

        @Override
        public boolean read(long position, byte[] target, int offset, int length) throws IOException {
            reading.incrementAndGet();
            try {
                reads = 1;
                amid.happen();
                return whole && closed.get() == 0;
            } finally {
                reading.decrementAndGet();
            }
        }

        @Override
        public boolean read(long position, ByteBuffer target, int length) throws IOException {
            return read(position, new byte[0], 0, length);
        }

        @Override
        public void close() {
            readingWhenClosed.addAndGet(reading.get());
            closed.incrementAndGet();
        }
    }

    @BeforeEach
    void start() throws IOException {
        table = SlotTable.create(dir.resolve("slots"), 64, new Random(1));
        slot = table.claim(BLOCK);
        table.publish(slot);
        ExtentDescriptor extent =
                new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 0, LENGTH, slot, table.sequence(slot));
        grant = new LocalGrant(
                new GrantKey("user", new byte[0], BLOCK),
                new Grant(5, extent, "link", LEASE_MS),
                nowNs,
                table,
                content,
                (ended, how) -> ends.add(ended.id() + " " + how),
                reportsWanted::incrementAndGet,
                REPORT_BYTES,
                () -> nowNs);
    }

    @AfterEach
    void stop() throws IOException {
        table.close();
    }

    @Test
    void read_withoutDirectMemory_leavesTheGrantToOthers() throws Exception {
        content.amid = () -> {
            throw new CopyBuffers.NoMemoryException(new OutOfMemoryError("Direct buffer memory"));
        };
        assertThatThrownBy(this::read).isInstanceOf(CopyBuffers.NoMemoryException.class);
        assertThatThrownBy(() -> grant.read(0, ByteBuffer.allocate(10), 10))
                .isInstanceOf(CopyBuffers.NoMemoryException.class);
        content.amid = () -> {};
        assertThat(read()).isTrue();
        assertThat(ends).isEmpty();
    }

    private boolean read() throws IOException {
        return grant.read(0, new byte[10], 0, 10);
    }

    private void passMs(long ms) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private void assertEnded(LocalGrant.End how) {
        assertThat(ends).containsExactly("5 " + how);
        assertThat(content.closed).hasValue(1);
        assertThat(grant.isUsable()).isFalse();
    }

    @Test
    void read_whileLiveAndLeased_isWhole_andIsReported() throws Exception {
        assertThat(grant.isUsable()).isTrue();
        grant.countReader();
        assertThat(read()).isTrue();
        assertThat(grant.takeReport()).isEqualTo(new ReadReport(5, 1, 10));
        assertThat(grant.takeReport()).isNull();
        assertThat(ends).isEmpty();
    }

    @Test
    void read_ofAnExtentThatRetired_isRefused_andEndsTheGrant() throws Exception {
        table.retire(slot);
        assertThat(grant.isUsable()).isFalse();
        assertThat(read()).isFalse();
        assertThat(content.reads).as("the content was not touched").isZero();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_whoseExtentRetiresMeanwhile_isWhole() throws Exception {
        content.amid = () -> table.retire(slot);
        assertThat(read()).isTrue();
        assertThat(ends).as("the DataNode asks for it back").isEmpty();
        assertThat(grant.isUsable()).isFalse();
    }

    @Test
    void read_whoseSlotWasFreedMeanwhile_isNotWhole() throws Exception {
        content.amid = () -> {
            table.retire(slot);
            table.free(slot);
        };
        assertThat(read()).isFalse();
        assertThat(grant.takeReport()).isNull();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void lease_endsToTheNanosecond_andIsExtended() throws Exception {
        nowNs += TimeUnit.MILLISECONDS.toNanos(LEASE_MS) - 1;
        assertThat(grant.isUsable()).isTrue();
        nowNs++;
        assertThat(grant.isUsable()).isFalse();
        assertThat(grant.leaseLeftMs(nowNs)).isZero();
        grant.extendLease(nowNs + TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(grant.leaseLeftMs(nowNs)).isEqualTo(5);
        assertThat(read()).isTrue();
        passMs(5);
        assertThat(read()).isFalse();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_whoseLeaseEndsMeanwhile_isNotWhole_andNotReported() throws Exception {
        content.amid = () -> passMs(LEASE_MS);
        assertThat(read()).isFalse();
        assertThat(grant.takeReport()).isNull();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void revoke_amidARead_leavesTheCleaningToIt() throws Exception {
        content.amid = () -> {
            grant.end(LocalGrant.End.REVOKED);
            assertThat(content.closed).hasValue(0);
            assertThat(ends).isEmpty();
        };
        assertThat(read()).as("its bytes are whole").isTrue();
        assertEnded(LocalGrant.End.REVOKED);
        assertThat(read()).isFalse();
        assertThat(ends).hasSize(1);
    }

    @Test
    void end_byTheFirstWhoTells_isTheOneThatCounts() {
        grant.end(LocalGrant.End.LOST);
        grant.end(LocalGrant.End.REVOKED);
        assertEnded(LocalGrant.End.LOST);
    }

    @Test
    void read_ofAContentThatFails_isNotWhole_andEndsTheGrant() throws Exception {
        content.amid = () -> {
            throw new IOException("as was wanted");
        };
        assertThat(read()).isFalse();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_ofAMappingWhoseFileWasCut_isNotWhole() throws Exception {
        content.amid = () -> {
            throw new InternalError("a fault occurred in an unsafe memory access operation");
        };
        assertThat(read()).isFalse();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_ofTooFewBytes_isNotWhole() throws Exception {
        content.whole = false;
        assertThat(read()).isFalse();
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_byAnInterruptedThread_touchesNothing_andOthersReadOn() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(this::read).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(content.reads).isZero();
        assertThat(read()).isTrue();
    }

    @Test
    void read_whoseFileAnInterruptCloses_throws_andEndsTheGrant() {
        content.amid = () -> {
            throw new ClosedByInterruptException();
        };
        assertThatThrownBy(this::read).isInstanceOf(InterruptedIOException.class);
        assertEnded(LocalGrant.End.RELEASED);
    }

    @Test
    void read_intoABuffer_movesItOnlyWhenTheBytesAreRight() throws Exception {
        ByteBuffer target = ByteBuffer.allocate(20).position(3);
        assertThat(grant.read(0, target, 10)).isTrue();
        assertThat(target.position()).isEqualTo(13);
        content.whole = false;
        assertThat(grant.read(0, target, 5)).isFalse();
        assertThat(target.position()).isEqualTo(13);
    }

    @Test
    void readAhead_countsNothing_untilItsBytesAreServed() throws Exception {
        assertThat(grant.readAhead(0, ByteBuffer.allocate(20), 20)).isTrue();
        assertThat(grant.takeReport()).isNull();
        grant.countServed(4);
        assertThat(grant.takeReport()).isEqualTo(new ReadReport(5, 0, 4));
    }

    @Test
    void countServed_afterTheLastReport_isCountedAsUnreported() throws Exception {
        grant.end(LocalGrant.End.RELEASED);
        assertThat(AccessorFixture.moved(Metric.CLIENT_UNREPORTED_BYTES, () -> grant.countServed(4)))
                .isEqualTo(4);
        assertThat(grant.takeReport()).isNull();
    }

    @Test
    void reportSoon_isWantedOnce_whenSoMuchIsUnreported() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(read()).isTrue();
        }
        assertThat(reportsWanted).hasValue(0);
        assertThat(read()).isTrue();
        assertThat(read()).isTrue();
        assertThat(reportsWanted).hasValue(1);
        assertThat(grant.takeReport()).isEqualTo(new ReadReport(5, 0, 60));
    }

    @Test
    void takeUsed_isTrueOnce_afterEachUse() throws Exception {
        assertThat(grant.takeUsed()).as("a grant is wanted when it is given").isTrue();
        assertThat(grant.takeUsed()).isFalse();
        assertThat(read()).isTrue();
        assertThat(grant.takeUsed()).isTrue();
    }

    @Test
    void end_amidReadsOfSeveralThreads_closesOnce_afterTheLast() throws Exception {
        int threads = 4;
        CountDownLatch allRead = new CountDownLatch(threads);
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread reader = new Thread(() -> {
                try {
                    boolean first = true;
                    while (read()) {
                        if (first) {
                            allRead.countDown();
                        }
                        first = false;
                    }
                } catch (IOException e) {
                    wrong.incrementAndGet();
                }
            });
            readers.add(reader);
            reader.start();
        }
        allRead.await();
        grant.end(LocalGrant.End.REVOKED);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(wrong).hasValue(0);
        assertThat(content.readingWhenClosed).hasValue(0);
        assertEnded(LocalGrant.End.REVOKED);
    }
}
