package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.nvm.NvmFixture;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HousekeepingAgentTest {

    private static final int PINS = 100;

    @TempDir
    Path volume;

    private final PinRequests pinRequests = new PinRequests(PINS + 1);
    private final AtomicInteger failures = new AtomicInteger();

    @Test
    void turn_thatEndsInAnError_isNotTheLast() throws IOException {
        NvmFixture bed = new NvmFixture(volume, 10, Runnable::run);
        AtomicInteger beats = new AtomicInteger();
        Runnable beat = () -> {
            if (beats.incrementAndGet() == 1) {
                throw new AssertionError("as was wanted");
            }
        };
        CopyQueue copyQueue = new CopyQueue(bed.memory, 1, System::nanoTime, ns -> {});
        try (HousekeepingAgent housekeeping = new HousekeepingAgent(
                bed.memory,
                new PinRequests(1),
                bed,
                copyQueue,
                grant -> {},
                () -> {},
                beat,
                System::nanoTime,
                "test")) {
            housekeeping.start();
            await().until(() -> beats.get() > 2);
        }
    }

    private HousekeepingAgent stepped(NvmFixture bed, CopyQueue copyQueue) throws IOException {
        for (int id = 1; id <= PINS; id++) {
            pinRequests.add(new PinRequests.Pin(NvmFixture.POOL, bed.replica(id).blockId()), bed.nowNs);
        }
        return new HousekeepingAgent(
                bed.memory,
                pinRequests,
                bed,
                copyQueue,
                grant -> {},
                failures::incrementAndGet,
                () -> {},
                () -> bed.nowNs,
                "test");
    }

    private static CopyQueue waiting(NvmFixture bed) {
        return new CopyQueue(bed.memory, 2 * PINS, () -> bed.nowNs, ns -> {});
    }

    @Test
    void pins_ofAPoolThatIsOff_areNotTried_untilItIsOnAgain() throws IOException {
        NvmFixture bed = new NvmFixture(volume, 10, Runnable::run);
        CopyQueue copyQueue = waiting(bed);
        try (HousekeepingAgent housekeeping = stepped(bed, copyQueue)) {
            bed.memory.serve(NvmFixture.POOL, false, bed.nowNs);
            for (int i = 0; i < 10; i++) {
                bed.nowNs += TimeUnit.SECONDS.toNanos(30);
                assertThat(housekeeping.doWork(bed.nowNs)).isZero();
            }
            assertThat(copyQueue.waiting()).isZero();
            assertThat(failures).hasValue(0);
            bed.memory.serve(NvmFixture.POOL, true, bed.nowNs);
            bed.nowNs += TimeUnit.SECONDS.toNanos(30);
            assertThat(housekeeping.doWork(bed.nowNs)).isEqualTo(PINS);
            assertThat(copyQueue.waiting()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_ofDeletedBlocks_areGivenUp_whileTheirPoolIsOffToo() throws IOException {
        NvmFixture bed = new NvmFixture(volume, 10, Runnable::run);
        try (HousekeepingAgent housekeeping = stepped(bed, waiting(bed))) {
            pinRequests.add(new PinRequests.Pin(NvmFixture.POOL, PINS + 1), bed.nowNs);
            bed.memory.serve(NvmFixture.POOL, false, bed.nowNs);
            for (int i = 0; i < 10; i++) {
                bed.nowNs += TimeUnit.SECONDS.toNanos(30);
                housekeeping.doWork(bed.nowNs);
            }
            assertThat(pinRequests.size()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_thatFail_areAllCounted_andToldOnceASecond() throws IOException {
        NvmFixture bed = new NvmFixture(volume, 10, Runnable::run);
        CopyQueue copyQueue = waiting(bed);
        copyQueue.close();
        StringWriter lines = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%m%n"), lines);
        Logger.getLogger(HousekeepingAgent.class).addAppender(appender);
        try (HousekeepingAgent housekeeping = stepped(bed, copyQueue)) {
            housekeeping.doWork(bed.nowNs);
            assertThat(failures).hasValue(PINS);
            bed.nowNs += TimeUnit.SECONDS.toNanos(1);
            housekeeping.doWork(bed.nowNs);
        } finally {
            Logger.getLogger(HousekeepingAgent.class).removeAppender(appender);
        }
        assertThat(failures).hasValue(2 * PINS);
        assertThat(lines.toString().strip().lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("REFUSED shutting down")
                .contains("99 others");
    }
}
