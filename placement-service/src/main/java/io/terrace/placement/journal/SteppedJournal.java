package io.terrace.placement.journal;

import io.terrace.metrics.MetricRegistry;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A journal in memory without a thread, whose turns somebody makes: for simulations and tests. What is in it outlives the
 * processes that write it.
 */
public final class SteppedJournal {

    private static final long MOST_BYTES = 1L << 30;

    private final MemoryStore store = new MemoryStore();
    private final LongSupplier wallMs;
    private final long passMs;
    private final long halfLifeMs;
    private JournalAgent agent;
    private EngineJournal engineSide;

    /**
     * @param wallMs milliseconds since 1970
     * @param passMs between two passes over the heat
     */
    public SteppedJournal(LongSupplier wallMs, long passMs, long halfLifeMs, MetricRegistry metricRegistry) {
        this.wallMs = wallMs;
        this.passMs = passMs;
        this.halfLifeMs = halfLifeMs;
        JournalExchange exchange = new JournalExchange(metricRegistry);
        this.engineSide = new EngineJournal(exchange, wallMs, passMs);
        this.agent = agent(exchange, metricRegistry);
    }

    private JournalAgent agent(JournalExchange exchange, MetricRegistry metricRegistry) {
        return new JournalAgent(
                exchange, anew -> store, EngineJournal.MOST_LOADED, halfLifeMs, MOST_BYTES, metricRegistry);
    }

    /** Another process begins; what the one before did not write is lost. */
    public void restart(MetricRegistry metricRegistry) {
        JournalExchange exchange = new JournalExchange(metricRegistry);
        engineSide = new EngineJournal(exchange, wallMs, passMs);
        agent = agent(exchange, metricRegistry);
    }

    public EngineJournal engineSide() {
        return engineSide;
    }

    /** What the journal's thread does until there is no more to do. */
    public void turn(long nowNs) {
        while (agent.doWork(nowNs) > 0) {
            continue;
        }
    }

    /** The moves of a block, latest first. */
    public List<MoveRecord> moves(long blockId) {
        return store.moves(blockId, Integer.MAX_VALUE);
    }
}
