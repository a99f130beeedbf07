package io.terrace.bench.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SchedulerTest {

    private final Scheduler scheduler = new Scheduler(1, new EventLog(true));
    private final List<String> seen = new ArrayList<>();

    private void plan(long delayNs, String what) {
        scheduler.after(delayNs, what, () -> seen.add(what + "@" + scheduler.nowNs()));
    }

    @Test
    void events_runInTheOrderOfTheirTimes() {
        plan(20, "second");
        plan(10, "first");
        plan(20, "third");

        scheduler.runUntil(15);
        assertThat(seen).containsExactly("first@10");
        scheduler.runUntil(20);
        assertThat(seen).containsExactly("first@10", "second@20", "third@20");
    }

    @Test
    void pause_letsOthersRunMeanwhile() {
        plan(15, "other");
        scheduler.after(10, "reader", () -> {
            seen.add("begins");
            scheduler.pause(10);
            seen.add("ends@" + scheduler.nowNs());
        });

        scheduler.runUntil(100);

        assertThat(seen).containsExactly("begins", "other@15", "ends@20");
    }

    @Test
    void stoppedProcess_goesOnWithWhatWaited() {
        OsProcess process = new OsProcess(scheduler, "p");
        process.after(10, "work", () -> seen.add("worked@" + scheduler.nowNs()));
        process.stop();
        scheduler.after(50, "SIGCONT", process::resume);

        scheduler.runUntil(100);

        assertThat(seen).containsExactly("worked@50");
    }

    @Test
    void processKilledInIo_doesNotReturnFromIt() {
        OsProcess process = new OsProcess(scheduler, "p");
        scheduler.after(5, "kill", process::kill);
        process.after(1, "io", () -> {
            seen.add("begins");
            process.blockFor(10);
            seen.add("ends");
        });

        scheduler.runUntil(100);

        assertThat(seen).containsExactly("begins");
    }

    @Test
    void deadProcess_doesNoIo() {
        OsProcess process = new OsProcess(scheduler, "p");
        process.kill();

        assertThatThrownBy(() -> process.blockFor(1)).isInstanceOf(OsProcess.Killed.class);
    }
}
