package io.terrace.placement.journal;

import static io.terrace.placement.journal.Records.heat;
import static io.terrace.placement.journal.Records.move;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.journal.JournalException.Next;
import io.terrace.placement.journal.JournalExchange.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class JournalAgentTest {

    private static final long MINUTE = TimeUnit.SECONDS.toNanos(60);

    private final MetricRegistry metrics = new MetricRegistry();
    private final JournalExchange exchange = new JournalExchange(metrics);
    private final FakeStore store = new FakeStore();
    private final JournalAgent agent = new JournalAgent(exchange, store::open, 3, 600_000, 1_000, metrics);
    private long nowNs = 1;

    private void turn() {
        agent.doWork(nowNs);
    }

    private List<Found> found() {
        List<Found> all = new ArrayList<>();
        for (Found one = exchange.takeFound(); one != null; one = exchange.takeFound()) {
            all.add(one);
        }
        return all;
    }

    @Test
    void entries_offeredBeforeItOpens_areWritten() {
        exchange.add(heat(1, 5, 1000));
        exchange.add(move(1, 1, 100, "why"));
        turn();
        assertThat(store.heat).containsOnlyKeys(1L);
        assertThat(store.moves).hasSize(1);
        assertThat(exchange.waitingBytes()).isZero();
        assertThat(agent.problem()).isNull();
    }

    @Test
    void question_isAnswered_whereTheHeatIsKnown() {
        store.heat.put(1L, heat(1, 5, 1000));
        exchange.ask(1);
        exchange.ask(2);
        turn();
        assertThat(found()).containsExactly(new Found(heat(1, 5, 1000), true));
    }

    @Test
    void load_bringsTheHottest_hottestFirst() {
        // One half-life later, half as many reads are as hot.
        store.heat.put(1L, heat(1, 4, 0));
        store.heat.put(2L, heat(2, 3, 600_000));
        store.heat.put(3L, heat(3, 1, 0));
        store.heat.put(4L, heat(4, 100, 600_000));
        store.heat.put(5L, heat(5, 7, 0));
        exchange.wantLoad();
        turn();
        assertThat(found()).extracting(one -> one.heat().block().id()).containsExactly(4L, 5L, 2L);
        turn();
        assertThat(found()).isEmpty();
    }

    @Test
    void locked_isTriedAgainAfterAMinute_andNothingWaitsMeanwhile() {
        store.failure = new JournalException(Next.RETRY, "locked");
        exchange.add(heat(1, 5, 1000));
        turn();
        assertThat(agent.problem()).isEqualTo("locked");
        assertThat(exchange.waitingBytes()).isZero();
        exchange.add(heat(2, 5, 1000));
        assertThat(exchange.waitingBytes()).isZero();
        turn();
        assertThat(store.opened).isEqualTo(1);
        store.failure = null;
        nowNs += MINUTE;
        turn();
        assertThat(store.opened).isEqualTo(2);
        assertThat(agent.problem()).isNull();
        exchange.add(heat(2, 5, 1000));
        turn();
        assertThat(store.heat).containsOnlyKeys(2L);
        assertThat(metrics.value(Metric.PLACEMENT_JOURNAL_FAILURES)).isEqualTo(1);
    }

    @Test
    void damaged_asItOpens_isBegunAnewAtOnce() {
        store.failure = new JournalException(Next.BEGIN_ANEW, "damaged");
        turn();
        assertThat(agent.problem()).isNull();
        assertThat(store.openedAnew).isEqualTo(1);
        assertThat(metrics.value(Metric.PLACEMENT_JOURNAL_BEGUN_ANEW)).isEqualTo(1);
    }

    @Test
    void damaged_asItIsRead_isBegunAnew() {
        turn();
        store.heat.put(1L, heat(1, 5, 1000));
        store.failure = new JournalException(Next.BEGIN_ANEW, "damaged");
        exchange.ask(1);
        turn();
        turn();
        assertThat(store.openedAnew).isEqualTo(1);
        assertThat(store.heat).isEmpty();
        assertThat(agent.problem()).isNull();
    }

    @Test
    void load_thatFails_isDoneOnceTheStoreIsThereAgain() {
        turn();
        store.heat.put(1L, heat(1, 5, 1000));
        store.failure = new JournalException(Next.RETRY, "the disk failed");
        exchange.wantLoad();
        turn();
        assertThat(found()).isEmpty();
        store.failure = null;
        nowNs += MINUTE;
        turn();
        assertThat(found()).extracting(one -> one.heat().block().id()).containsExactly(1L);
    }

    @Test
    void noLibrary_isNeverTriedAgain() {
        store.failure = new JournalException(Next.GIVE_UP, "noexec");
        turn();
        nowNs += 10 * MINUTE;
        turn();
        assertThat(store.opened).isEqualTo(1);
        assertThat(agent.problem()).isEqualTo("noexec");
    }

    @Test
    void bug_endsTheJournalAlone() {
        store.bug = new IllegalStateException("bug");
        turn();
        assertThat(agent.problem()).contains("bug");
    }

    @Test
    void diskFull_whileOpen_closesIt() {
        turn();
        store.failure = new JournalException(Next.RETRY, "full");
        nowNs += MINUTE;
        turn();
        assertThat(agent.store()).isNull();
        assertThat(agent.problem()).isEqualTo("full");
    }

    @Test
    void tooManyBytes_forgetsTheBlocksReadLongestAgo() {
        for (int i = 0; i < 100; i++) {
            store.heat.put((long) i, heat(i, 5, 1000 + i));
        }
        turn();
        store.bytesPerBlock = 10;
        nowNs += MINUTE;
        turn();
        assertThat(store.heat).hasSizeBetween(70, 80);
        assertThat(store.heat).doesNotContainKey(0L).containsKey(99L);
        assertThat(metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_FORGOTTEN)).isEqualTo(100 - store.heat.size());
    }

    @Test
    void queue_full_dropsAndCounts() {
        for (int i = 0; i < 60_000; i++) {
            exchange.add(heat(i, 5, 1000));
        }
        assertThat(exchange.waitingBytes()).isBetween(5L << 20, JournalExchange.MOST_BYTES + 1000);
        assertThat(exchange.hasRoom()).isFalse();
        assertThat(metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_LOST)).isPositive();
        exchange.add(move(1, 1, 1, "lost"));
        assertThat(metrics.value(Metric.PLACEMENT_JOURNAL_MOVES_LOST)).isEqualTo(1);
        for (int i = 0; i < 30; i++) {
            turn();
        }
        assertThat(exchange.waitingBytes()).isZero();
    }

    @Test
    void close_writesWhatIsLeft() throws Exception {
        turn();
        exchange.add(heat(1, 5, 1000));
        agent.onClose();
        assertThat(store.heat).containsOnlyKeys(1L);
    }
}
