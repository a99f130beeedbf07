package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

class HousekeepingTest {

    private static final int PINS = 100;

    @TempDir
    Path volume;

    private final Pins pins = new Pins(PINS + 1);
    private final AtomicInteger failures = new AtomicInteger();

    @Test
    void turn_thatEndsInAnError_isNotTheLast() throws IOException {
        NvmBed bed = new NvmBed(volume, 10, Runnable::run);
        AtomicInteger beats = new AtomicInteger();
        Runnable beat = () -> {
            if (beats.incrementAndGet() == 1) {
                throw new AssertionError("as was wanted");
            }
        };
        Promotions promotions = new Promotions(bed.memory, 1, System::nanoTime, ns -> {});
        try (Housekeeping housekeeping = new Housekeeping(
                bed.memory, new Pins(1), bed, promotions, grant -> {}, () -> {}, beat, System::nanoTime, "test")) {
            housekeeping.start();
            await().until(() -> beats.get() > 2);
        }
    }

    private Housekeeping stepped(NvmBed bed, Promotions promotions) throws IOException {
        for (int id = 1; id <= PINS; id++) {
            pins.add(new Pins.Pin(NvmBed.POOL, bed.replica(id).blockId()), bed.nowNs);
        }
        return new Housekeeping(
                bed.memory,
                pins,
                bed,
                promotions,
                grant -> {},
                failures::incrementAndGet,
                () -> {},
                () -> bed.nowNs,
                "test");
    }

    private static Promotions waiting(NvmBed bed) {
        return new Promotions(bed.memory, 2 * PINS, () -> bed.nowNs, ns -> {});
    }

    @Test
    void pins_ofAPoolThatIsOff_areNotTried_untilItIsOnAgain() throws IOException {
        NvmBed bed = new NvmBed(volume, 10, Runnable::run);
        Promotions promotions = waiting(bed);
        try (Housekeeping housekeeping = stepped(bed, promotions)) {
            bed.memory.serve(NvmBed.POOL, false, bed.nowNs);
            for (int i = 0; i < 10; i++) {
                bed.nowNs += TimeUnit.SECONDS.toNanos(30);
                assertThat(housekeeping.turn(bed.nowNs)).isZero();
            }
            assertThat(promotions.waiting()).isZero();
            assertThat(failures).hasValue(0);
            bed.memory.serve(NvmBed.POOL, true, bed.nowNs);
            bed.nowNs += TimeUnit.SECONDS.toNanos(30);
            assertThat(housekeeping.turn(bed.nowNs)).isEqualTo(PINS);
            assertThat(promotions.waiting()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_ofDeletedBlocks_areGivenUp_whileTheirPoolIsOffToo() throws IOException {
        NvmBed bed = new NvmBed(volume, 10, Runnable::run);
        try (Housekeeping housekeeping = stepped(bed, waiting(bed))) {
            pins.add(new Pins.Pin(NvmBed.POOL, PINS + 1), bed.nowNs);
            bed.memory.serve(NvmBed.POOL, false, bed.nowNs);
            for (int i = 0; i < 10; i++) {
                bed.nowNs += TimeUnit.SECONDS.toNanos(30);
                housekeeping.turn(bed.nowNs);
            }
            assertThat(pins.size()).isEqualTo(PINS);
        }
    }

    @Test
    void pins_thatFail_areAllCounted_andToldOnceASecond() throws IOException {
        NvmBed bed = new NvmBed(volume, 10, Runnable::run);
        Promotions promotions = waiting(bed);
        promotions.close();
        StringWriter lines = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%m%n"), lines);
        Logger.getLogger(Housekeeping.class).addAppender(appender);
        try (Housekeeping housekeeping = stepped(bed, promotions)) {
            housekeeping.turn(bed.nowNs);
            assertThat(failures).hasValue(PINS);
            bed.nowNs += TimeUnit.SECONDS.toNanos(1);
            housekeeping.turn(bed.nowNs);
        } finally {
            Logger.getLogger(Housekeeping.class).removeAppender(appender);
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
