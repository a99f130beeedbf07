package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Heat is kept through failovers, as each engine counts it, and through restarts, as the journal has it. */
class WarmHeatTest extends SteppedLoop {

    private static final int BLOCKS = 3_000;
    private static final int HOTTEST = 1_000;

    private long wallMs = 1_700_000_000_000L;
    private final SteppedJournal journal =
            new SteppedJournal(() -> wallMs, 60_000, settings.heat().halfLifeMs(), metricRegistry);
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    private static Set<Long> hottest(PlacementEngine engine, long nowMs) {
        Set<Long> ids = new HashSet<>();
        for (HotBlock hot : engine.reports().top(nowMs, HOTTEST)) {
            ids.add(hot.block().id());
        }
        return ids;
    }

    private static double sameShare(Set<Long> before, Set<Long> after) {
        Set<Long> same = new HashSet<>(before);
        same.retainAll(after);
        return (double) same.size() / before.size();
    }

    /** Skewed reads of many blocks on both DataNodes, given to each engine. */
    private void read(List<PlacementEngine> engines) {
        for (int round = 0; round < 20; round++) {
            nowMs += 1_000;
            for (FakeDataNode node : List.of(one, two)) {
                node.wantsFull = false;
                for (int i = 0; i < 2_000; i++) {
                    long id = (long) (BLOCKS * Math.pow(random.nextDouble(), 3));
                    node.reads(block(id, 1), 1 + random.nextInt(3));
                }
                Heartbeat heartbeat = node.heartbeat();
                engines.forEach(engine -> engine.heartbeat(nowMs, heartbeat));
            }
            engines.forEach(engine -> engine.turn(nowMs));
        }
    }

    private void journalTurn() {
        wallMs += 250;
        journal.turn(wallMs * 1_000_000);
    }

    /** Enough turns for the journal to be written. */
    private void settle(PlacementEngine engine) {
        for (int i = 0; i < 800; i++) {
            nowMs += 250;
            engine.turn(nowMs);
            journalTurn();
        }
    }

    private PlacementEngine restarted(long clockOffMs) {
        nowMs += clockOffMs;
        journal.restart(metricRegistry);
        PlacementEngine next = new PlacementEngine(settings, names, new MetricRegistry());
        next.keepIn(journal.engineSide());
        next.activate(8, OperatorState.initial());
        return next;
    }

    @Test
    void failover_standbyHasCounted_theHottestAreTheSame() {
        PlacementEngine standby = new PlacementEngine(settings, names, new MetricRegistry());
        read(List.of(placement, standby));
        placement.standDown();
        standby.activate(8, OperatorState.initial());
        standby.turn(nowMs);
        assertThat(sameShare(hottest(placement, nowMs), hottest(standby, nowMs)))
                .as("seed %d", seed)
                .isGreaterThan(0.99);
        placement = standby;
        // What was hot is promoted at its first read.
        long hot = standby.reports().top(nowMs, 1).get(0).block().id();
        one.reads(block(hot, 1), 1);
        beat(one);
        two.reads(block(hot, 1), 1);
        beat(two);
        assertThat(one.memory.containsKey(hot) || two.memory.containsKey(hot)).isTrue();
    }

    @Test
    void deletedBlock_isForgottenWhereItWouldBePromoted_soAStandbyForgetsItOnceItDecides() {
        PlacementEngine standby = new PlacementEngine(settings, names, new MetricRegistry());
        names.verdicts.put(1L, Verdict.GONE);
        one.wantsFull = false;
        for (Heartbeat heartbeat : List.of(one.reads(block(1, 1), 5).heartbeat(), one.heartbeat())) {
            placement.heartbeat(nowMs, heartbeat);
            standby.heartbeat(nowMs, heartbeat);
        }
        assertThat(hottest(placement, nowMs)).isEmpty();
        assertThat(hottest(standby, nowMs)).containsExactly(1L);
        placement.standDown();
        standby.activate(8, OperatorState.initial());
        standby.heartbeat(nowMs, one.reads(block(1, 1), 5).heartbeat());
        standby.heartbeat(nowMs, one.heartbeat());
        assertThat(hottest(standby, nowMs)).isEmpty();
    }

    @Test
    void standDown_andActiveAgain_heatIsKept() {
        PlacementEngine always = new PlacementEngine(settings, names, new MetricRegistry());
        always.activate(8, OperatorState.initial());
        List<PlacementEngine> both = List.of(placement, always);
        read(both);
        placement.standDown();
        read(both);
        placement.activate(9, OperatorState.initial());
        read(both);
        assertThat(sameShare(hottest(always, nowMs), hottest(placement, nowMs)))
                .as("seed %d", seed)
                .isGreaterThan(0.95);
    }

    @Test
    void restart_journalIsLoaded_asTheDataNodesReport() {
        placement.keepIn(journal.engineSide());
        read(List.of(placement));
        settle(placement);
        Set<Long> before = hottest(placement, nowMs);
        assertThat(before).hasSize(HOTTEST);

        // The clock of another process, hours later.
        PlacementEngine next = restarted(10_000_000);
        next.turn(nowMs);
        journalTurn();
        assertThat(next.reports().trackedBlocks()).isZero();
        for (FakeDataNode node : List.of(one, two)) {
            next.heartbeat(nowMs, node.heartbeat());
        }
        for (int i = 0; i < 40; i++) {
            nowMs += 250;
            next.turn(nowMs);
            journalTurn();
        }
        assertThat(sameShare(before, hottest(next, nowMs))).as("seed %d", seed).isGreaterThan(0.99);
        assertThat(next.reports().top(nowMs, 1).get(0).home()).isNotNull();
    }

    @Test
    void blockBeyondTheHeap_isRecalled_whenItIsReadAgain() {
        PlacementEngine small = new PlacementEngine(
                settings(Map.of("terrace.placement.tracked.blocks", "1000")), names, metricRegistry);
        small.keepIn(journal.engineSide());
        small.activate(8, OperatorState.initial());
        small.turn(nowMs);
        one.reads(block(1, 1), 40);
        small.heartbeat(nowMs, one.heartbeat());
        for (int id = 2; id < 2_000; id++) {
            one.reads(block(id, 1), 1);
        }
        small.heartbeat(nowMs, one.heartbeat());
        assertThat(small.reports().trackedBlocks()).isEqualTo(1_000);
        small.turn(nowMs);
        journalTurn();
        small.turn(nowMs);
        one.reads(block(1, 1), 2);
        small.heartbeat(nowMs, one.heartbeat());
        assertThat(small.reports().top(nowMs, 1).get(0).heat()).isLessThan(3);
        journalTurn();
        small.turn(nowMs);
        HotBlock hot = small.reports().top(nowMs, 1).get(0);
        assertThat(hot.block().id()).isEqualTo(1);
        assertThat(hot.heat()).isBetween(41.9, 42.1);
        assertThat(hot.reads()).isEqualTo(42);
        assertThat(metricRegistry.value(Metric.PLACEMENT_JOURNAL_HEAT_RECALLED)).isEqualTo(1);
    }

    @Test
    void blockReadBeforeItsHeatWasLoaded_countsOnce() {
        placement.keepIn(journal.engineSide());
        placement.turn(nowMs);
        one.reads(block(1, 1), 40);
        placement.heartbeat(nowMs, one.heartbeat());
        settle(placement);
        PlacementEngine next = restarted(0);
        one.reads(block(1, 1), 2);
        next.heartbeat(nowMs, one.heartbeat());
        for (int i = 0; i < 10; i++) {
            next.turn(nowMs);
            journalTurn();
        }
        assertThat(next.reports().top(nowMs, 1).get(0).reads()).isEqualTo(42);
    }

    @Test
    void heartbeatOfBeforeTheFailover_sentAgain_countsOnce() {
        PlacementEngine standby = new PlacementEngine(settings, names, metricRegistry);
        one.wantsFull = false;
        one.reads(block(1, 1), 5);
        Heartbeat heartbeat = one.heartbeat();
        standby.heartbeat(nowMs, heartbeat);
        standby.heartbeat(nowMs, heartbeat);
        assertThat(metricRegistry.value(Metric.PLACEMENT_STANDBY_READS)).isEqualTo(5);
        standby.activate(8, OperatorState.initial());
        standby.heartbeat(nowMs, heartbeat);
        assertThat(standby.reports().top(nowMs, 1).get(0).reads()).isEqualTo(5);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READS)).isZero();
    }

    @Test
    void moves_areKeptWithReasonAndResult() {
        placement.keepIn(journal.engineSide());
        placement.turn(nowMs);
        one.reads(block(1, 1), 3);
        beat(one);
        beat(one);
        journalTurn();
        assertThat(journal.moves(1)).singleElement().satisfies(move -> {
            assertThat(move.cause()).isEqualTo("policy");
            assertThat(move.outcome()).isEqualTo("done");
            assertThat(move.node()).isEqualTo("host-one:9866");
            assertThat(move.up()).isTrue();
            assertThat(move.reason()).isNotEmpty();
            assertThat(move.bytesMoved()).isEqualTo(MB);
        });
    }

    @Test
    void silentDataNode_isForgottenOnAStandbyToo() {
        PlacementEngine standby = new PlacementEngine(settings, names, metricRegistry);
        standby.heartbeat(nowMs, one.reads(block(1, 1), 5).heartbeat());
        assertThat(standby.engineStatus().datanodes()).isEqualTo(1);
        nowMs += settings.heartbeats().forgetMs() + 1;
        standby.turn(nowMs);
        assertThat(standby.engineStatus().datanodes()).isZero();
    }
}
