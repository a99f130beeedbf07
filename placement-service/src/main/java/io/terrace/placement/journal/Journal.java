package io.terrace.placement.journal;

import io.terrace.common.AgentThread;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal of one NameNode, running: {@link #engineSide} for the engine's thread, a thread of its own that has the store,
 * and questions about moves by any thread. Never a reason not to start: {@link #problem} says why nothing is kept.
 */
public final class Journal implements AutoCloseable {

    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CLOSE_MS = 5_000;

    private final EngineJournal engineSide;
    private final JournalAgent agent;
    private final AgentThread thread;

    private Journal(
            JournalStore.Opener opener,
            long mostBytes,
            int mostLoaded,
            long halfLifeMs,
            LongSupplier wallMs,
            MetricRegistry metricRegistry) {
        JournalExchange exchange = new JournalExchange(metricRegistry);
        this.engineSide = new EngineJournal(exchange, wallMs, EngineJournal.PASS_MS);
        this.agent = new JournalAgent(exchange, opener, mostLoaded, halfLifeMs, mostBytes, metricRegistry);
        metricRegistry.gauge(Metric.PLACEMENT_JOURNAL_OPEN, () -> agent.store() == null ? 0 : 1);
        metricRegistry.gauge(Metric.PLACEMENT_JOURNAL_BYTES, agent::bytes);
        metricRegistry.gauge(Metric.PLACEMENT_JOURNAL_WAITING_BYTES, exchange::waitingBytes);
        this.thread = new AgentThread("terrace-journal", agent, IDLE_NS, System::nanoTime).start();
    }

    /**
     * Starts it; the store is opened by its thread.
     *
     * @param blockPool of this NameNode; a journal of another one is begun anew
     * @param mostBytes on disk
     * @param trackedBlocks whose heat is on the heap
     * @param wallMs milliseconds since 1970
     */
    public static Journal start(
            Path dir,
            String blockPool,
            long mostBytes,
            int trackedBlocks,
            long halfLifeMs,
            LongSupplier wallMs,
            MetricRegistry metricRegistry) {
        return new Journal(
                anew -> RocksStore.open(dir, blockPool, mostBytes, anew),
                mostBytes,
                Math.min(trackedBlocks, EngineJournal.MOST_LOADED),
                halfLifeMs,
                wallMs,
                metricRegistry);
    }

    public EngineJournal engineSide() {
        return engineSide;
    }

    /** Why nothing is kept, with the remedy; null while it is, or the store is being opened. */
    public @Nullable String problem() {
        return agent.problem();
    }

    /**
     * The latest moves of these blocks, latest first. Moves that ended within the last second may be missing.
     *
     * @throws IOException when the journal cannot be read now
     */
    public List<MoveRecord> moves(Collection<Long> blockIds, int most) throws IOException {
        JournalStore store = agent.store();
        if (store == null) {
            String problem = agent.problem();
            throw new IOException(problem == null ? "the journal is being opened; ask again" : problem);
        }
        PriorityQueue<MoveRecord> latest = new PriorityQueue<>(Comparator.comparingLong(MoveRecord::endedMs));
        for (long blockId : blockIds) {
            for (MoveRecord move : store.moves(blockId, most)) {
                latest.add(move);
                if (latest.size() > most) {
                    latest.remove();
                }
            }
        }
        List<MoveRecord> sorted = new ArrayList<>(latest);
        sorted.sort(Comparator.comparingLong(MoveRecord::endedMs).reversed());
        return sorted;
    }

    /** Writes what is left and ends the thread; waits seconds for it. */
    @Override
    public void close() {
        thread.close(false, CLOSE_MS);
    }
}
