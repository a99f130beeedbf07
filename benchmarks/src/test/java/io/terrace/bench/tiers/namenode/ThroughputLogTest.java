package io.terrace.bench.tiers.namenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ThroughputLogTest {

    private static final String WARM_UP = "INFO  NNThroughputBenchmark:  Ops per sec: 1.0\n";

    @Test
    void perSecond_ofOneRun_isTheLineAfterIt() {
        ThroughputLog log = new ThroughputLog();
        log.add(
                WARM_UP
                        + """
                RUN open stock
                INFO  NNThroughputBenchmark: # operations: 12
                INFO  NNThroughputBenchmark:  Ops per sec: 6153.8
                RUN open terrace
                INFO  NNThroughputBenchmark:  Ops per sec: 6000.5
                HELD 1000 2
                RUN create stock
                INFO  NNThroughputBenchmark:  Ops per sec: 70
                """);
        log.add(WARM_UP + "RUN open stock\nINFO  NNThroughputBenchmark:  Ops per sec: 5000\n");

        assertThat(log.perSecond("open", "stock")).containsExactly(6153.8, 5000);
        assertThat(log.perSecond("open", "terrace")).containsExactly(6000.5);
        assertThat(log.perSecond("create", "stock")).containsExactly(70);
        assertThat(log.perSecond("create", "terrace")).isEmpty();
    }

    @Test
    void lockShare_isOfAllRunsWithTerrace() {
        ThroughputLog log = new ThroughputLog();
        log.add("HELD 1000000 500\n");
        log.add("HELD 3000000 3500\n");

        assertThat(log.lockShare()).isCloseTo(0.001, within(1e-9));
    }

    @Test
    void moves_areWeighedByTheirHolds() {
        ThroughputLog log = new ThroughputLog();
        log.add("HELD 500000000 0\nREPORTED 10 4 30000\n");
        log.add("HELD 500000000 0\nREPORTED 30 16 20000\n");

        assertThat(log.movesPerSecond()).isCloseTo(40, within(1e-9));
        assertThat(log.writeLockUs()).isCloseTo((4 * 30 + 16 * 20) / 40.0, within(1e-9));
    }
}
