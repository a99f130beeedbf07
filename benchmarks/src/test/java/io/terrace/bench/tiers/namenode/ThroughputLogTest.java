package io.terrace.bench.tiers.namenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ThroughputLogTest {

    private final ThroughputLog log = new ThroughputLog();

    @Test
    void perSecond_ofSeveralProcesses_hasEachPairInOrder() {
        log.add(
                """
                INFO another line
                RATE open stock 6153.8
                RATE open terrace 6000.5
                RATE create stock 70
                """);
        log.add("RATE open stock 5000\n");

        assertThat(log.perSecond("open", "stock")).containsExactly(6153.8, 5000);
        assertThat(log.perSecond("open", "terrace")).containsExactly(6000.5);
        assertThat(log.perSecond("create", "stock")).containsExactly(70);
        assertThat(log.perSecond("create", "terrace")).isEmpty();
    }

    @Test
    void cpuUs_isOfEachTurn_byOperationAndCluster() {
        log.add("COST open stock 1000 0.1\nCOST create stock 500 0.1\nCOST open terrace 500 0.1\n");
        log.add("COST open stock 3000 0.6\nSENDER stock 0.25\nSENDER stock 0.35\n");

        assertThat(log.cpuUs("open", "stock")).containsExactly(new double[] {100, 200}, within(1e-9));
        assertThat(log.cpuUs("open", "terrace")).containsExactly(new double[] {200}, within(1e-9));
        assertThat(log.cpuUs("create", "terrace")).isEmpty();
        assertThat(log.sender("stock")).isCloseTo(0.3, within(1e-9));
        assertThat(log.sender("terrace")).isZero();
    }

    @Test
    void lockShare_isOfAllTurnsWithTerrace() {
        log.add("HELD 1.0 3 100 500000\nHELD 3.0 5 300 3500000\n");

        assertThat(log.lockShare()).isCloseTo(0.001, within(1e-9));
        assertThat(log.holdsPerSecond()).isCloseTo(2, within(1e-9));
        assertThat(log.blocksPerSecond()).isCloseTo(100, within(1e-9));
    }

    @Test
    void moves_areThoseOfAllTurns() {
        log.add("REPORTED 0.5 10 4 120000\nREPORTED 0.5 30 16 320000\n");

        assertThat(log.movesPerSecond()).isCloseTo(40, within(1e-9));
        assertThat(log.writeLockUs()).isCloseTo((120 + 320) / 40.0, within(1e-9));
    }
}
