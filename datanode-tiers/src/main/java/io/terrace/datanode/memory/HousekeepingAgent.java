package io.terrace.datanode.memory;

import io.terrace.common.Agent;
import io.terrace.common.AgentThread;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.LogThrottle;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what nobody reads any more, tells holders of retired grants to stop, begins copies of pinned blocks, and shows that
 * the DataNode is alive.
 */
public final class HousekeepingAgent implements Agent, AutoCloseable {

    /** Says to a client that it must stop reading through a grant; does not block. */
    public interface Revoker {
        void revoke(GrantRecord grant);
    }

    /** Hears of every attempt to bring a pinned block into memory that failed; does not block. */
    public interface PinFailures {
        void failed();
    }

    private static final Logger LOG = LoggerFactory.getLogger(HousekeepingAgent.class);
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STOP_WAIT_MS = 5_000;
    /** Thousands of directives may fail for one reason. */
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(1);

    private final LocalTier tier;
    private final PinRequests pinRequests;
    private final ReplicaSource source;
    private final CopyQueue copyQueue;
    private final Revoker revoker;
    private final PinFailures pinFailures;
    private final Runnable beat;
    private final LongSupplier nanoClock;
    private final LogThrottle logThrottle = new LogThrottle(LOG_NS);
    private final AgentThread thread;
    private volatile LongToIntFunction more = nowNs -> 0;

    /** Begins its turns with {@link #start}. */
    public HousekeepingAgent(
            LocalTier tier,
            PinRequests pinRequests,
            ReplicaSource source,
            CopyQueue copyQueue,
            Revoker revoker,
            PinFailures pinFailures,
            Runnable beat,
            LongSupplier nanoClock,
            String name) {
        this.tier = tier;
        this.pinRequests = pinRequests;
        this.source = source;
        this.copyQueue = copyQueue;
        this.revoker = revoker;
        this.pinFailures = pinFailures;
        this.beat = beat;
        this.nanoClock = nanoClock;
        this.thread = new AgentThread("terrace-housekeeping-" + name, this, IDLE_NS, nanoClock);
    }

    /** Runs on a thread of its own from now on. */
    public HousekeepingAgent start() {
        thread.start();
        return this;
    }

    /** Does a turn of something else too in each turn: given the time, it answers the work done. */
    public void also(LongToIntFunction turn) {
        more = turn;
    }

    /** There is something to do. */
    public void wake() {
        thread.wake();
    }

    @Override
    public int doWork(long nowNs) {
        beat.run();
        int work = 0;
        for (GrantRecord grant = tier.grants().nextRevocation();
                grant != null;
                grant = tier.grants().nextRevocation()) {
            revoker.revoke(grant);
            work++;
        }
        work += tier.sweep(nowNs);
        work += more.applyAsInt(nowNs);
        for (PinRequests.Pin pin : pinRequests.due(nowNs)) {
            work += begin(pin, nowNs);
        }
        return work;
    }

    private int begin(PinRequests.Pin pin, long nowNs) {
        boolean submitted = false;
        try {
            submitted = submit(pin, nowNs);
        } finally {
            if (!submitted) {
                pinRequests.ended(pin);
            }
        }
        return submitted ? 1 : 0;
    }

    /** Whether a copy was ordered. */
    private boolean submit(PinRequests.Pin pin, long nowNs) {
        BlockVersion found = source.find(pin.pool(), pin.blockId());
        if (found == null) {
            pinRequests.missing(pin);
            pinFailures.failed();
            return false;
        }
        if (!tier.serves(pin.pool())) {
            // The request stays until the pool is served again.
            return false;
        }
        BlockKey key = found.key();
        if (tier.isPinned(key)) {
            pinRequests.satisfied(pin, nowNs);
            return false;
        }
        copyQueue.submit(new CopyQueue.Order(found, true, () -> pinRequests.contains(pin), result -> {
            if (result.outcome() == MoveOutcome.DONE) {
                pinRequests.satisfied(pin, nanoClock.getAsLong());
            } else {
                if (result.outcome() == MoveOutcome.CORRUPT) {
                    pinRequests.corrupt(pin, nanoClock.getAsLong());
                } else {
                    pinRequests.ended(pin);
                }
                pinFailures.failed();
                tell(key, result);
            }
            if (!pinRequests.contains(pin)) {
                tier.unpin(pin.pool(), pin.blockId(), nanoClock.getAsLong());
            }
        }));
        return true;
    }

    private void tell(BlockKey key, MoveResult result) {
        Long others = logThrottle.next(nanoClock.getAsLong());
        if (others != null) {
            LOG.info(
                    "Pinned block {} is not in memory: {} {} ({} earlier failures)",
                    key,
                    result.outcome(),
                    result.message(),
                    others);
        }
    }

    @Override
    public void close() {
        // Not interrupted: a turn finishes what it began, such as the removal of a file.
        thread.close(false, STOP_WAIT_MS);
    }
}
