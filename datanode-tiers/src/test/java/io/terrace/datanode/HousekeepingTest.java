package io.terrace.datanode;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HousekeepingTest {

    @TempDir
    Path volume;

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
}
