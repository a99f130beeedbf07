package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.write.WriteHooks;
import org.jspecify.annotations.Nullable;

/** The hooks of writes with at most one {@link Mutation} switched on. */
public record WriteMutations(@Nullable Mutation mutation) implements WriteHooks {
    private static final long LATE_NS = 3_000_000;

    @Override
    public long writtenLateNs() {
        return mutation == Mutation.ACKNOWLEDGED_BEFORE_WRITTEN ? LATE_NS : 0;
    }

    @Override
    public long finalisedLateNs() {
        return mutation == Mutation.COMMITTED_BEFORE_FINALISED ? LATE_NS : 0;
    }

    @Override
    public boolean stopsWriters() {
        return mutation != Mutation.LATE_WRITER_NOT_STOPPED;
    }

    @Override
    public boolean renewsStamps() {
        return mutation != Mutation.FLUSHED_WITHOUT_NEW_STAMP;
    }

    @Override
    public boolean awaitsAll() {
        return mutation != Mutation.RETAINED_DROPPED_EARLY;
    }

    @Override
    public boolean finishesClosedFiles() {
        return mutation != Mutation.CLOSED_FILE_DROPPED;
    }

    @Override
    public boolean asksForBlocksAgain() {
        return mutation != Mutation.REFUSED_BLOCK_GIVEN_UP;
    }

    @Override
    public boolean comparesLengths() {
        return mutation != Mutation.SHORT_REPLICA_FINALISED;
    }
}
