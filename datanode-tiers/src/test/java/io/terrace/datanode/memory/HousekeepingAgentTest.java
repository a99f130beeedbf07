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
        NvmFixture fixture = new NvmFixture(volume, 10, Runnable::run);
        AtomicInteger beats = new AtomicInteger();
        Runnable beat = () -> {
            if (beats.incrementAndGet() == 1) {
                throw new AssertionError("as was wanted");
            }
        };
        CopyQueue copyQueue = new CopyQueue(fixture.memory, 1, System::nanoTime, ns -> {});
        try (HousekeepingAgent housekeeping = new HousekeepingAgent(
                fixture.memory,
                new PinRequests(1),
                fixture,
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

    private HousekeepingAgent stepped(NvmFixture fixture, CopyQueue copyQueue) throws IOException {
        for (int id = 1; id <= PINS; id++) {
            pinRequests.add(
                    new PinRequests.Pin(NvmFixture.POOL, fixture.replica(id).blockId()), fixture.nowNs);
        }
        return new HousekeepingAgent(
                fixture.memory,
                pinRequests,
                fixture,
                copyQueue,
                grant -> {},
                failures::incrementAndGet,
                () -> {},
                () -> fixture.nowNs,
                "test");
    }

    private static CopyQueue waiting(NvmFixture fixture) {
        return new CopyQueue(fixture.memory, 2 * PINS, () -> fixture.nowNs, ns -> {});
    }

    @Test
    void pins_ofAPoolThatIsOff_areNotTried_untilItIsOnAgain() throws IOException {
        NvmFixture fixture = new NvmFixture(volume, 10, Runnable::run);
        CopyQueue copyQueue = waiting(fixture);
        try (HousekeepingAgent housekeeping = stepped(fixture, copyQueue)) {
            fixture.memory.serve(NvmFixture.POOL, false, fixture.nowNs);
            for (int i = 0; i < 10; i++) {
                fixture.nowNs += TimeUnit.SECONDS.toNanos(30);
                assertThat(housekeeping.doWork(fixture.nowNs)).isZero();
            }
            assertThat(copyQueue.waiting()).isZero();
            assertThat(failures).hasValue(0);
            fixture.memory.serve(NvmFixture.POOL, true, fixture.nowNs);
            fixture.nowNs += TimeUnit.SECONDS.toNanos(30);
            assertThat(housekeeping.doWork(fixture.nowNs)).isEqualTo(PINS);
            assertThat(copyQueue.waiting()).isEqualTo(PINS);
            fixture.nowNs += TimeUnit.SECONDS.toNanos(60);
            assertThat(housekeeping.doWork(fixture.nowNs)).as("queued already").isZero();
            assertThat(copyQueue.waiting()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_ofDeletedBlocks_areGivenUp_whileTheirPoolIsOffToo() throws IOException {
        NvmFixture fixture = new NvmFixture(volume, 10, Runnable::run);
        try (HousekeepingAgent housekeeping = stepped(fixture, waiting(fixture))) {
            pinRequests.add(new PinRequests.Pin(NvmFixture.POOL, PINS + 1), fixture.nowNs);
            fixture.memory.serve(NvmFixture.POOL, false, fixture.nowNs);
            for (int i = 0; i < 10; i++) {
                fixture.nowNs += TimeUnit.SECONDS.toNanos(30);
                housekeeping.doWork(fixture.nowNs);
            }
            assertThat(pinRequests.size()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_thatFail_areAllCounted_andToldOnceASecond() throws IOException {
        NvmFixture fixture = new NvmFixture(volume, 10, Runnable::run);
        CopyQueue copyQueue = waiting(fixture);
        copyQueue.close();
        StringWriter lines = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%m%n"), lines);
        Logger.getLogger(HousekeepingAgent.class).addAppender(appender);
        try (HousekeepingAgent housekeeping = stepped(fixture, copyQueue)) {
            housekeeping.doWork(fixture.nowNs);
            assertThat(failures).hasValue(PINS);
            fixture.nowNs += TimeUnit.SECONDS.toNanos(1);
            housekeeping.doWork(fixture.nowNs);
        } finally {
            Logger.getLogger(HousekeepingAgent.class).removeAppender(appender);
        }
        assertThat(failures).hasValue(2 * PINS);
        assertThat(lines.toString().strip().lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("REFUSED shutting down")
                .contains("99 earlier failures");
    }
}
