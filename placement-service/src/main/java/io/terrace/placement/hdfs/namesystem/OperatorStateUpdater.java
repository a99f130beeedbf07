package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.state.OperatorState;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.apache.hadoop.ipc.StandbyException;
import org.jspecify.annotations.Nullable;

/** Changes the {@link OperatorState}, one change at a time: it is stored first, then told to the loop. */
public final class OperatorStateUpdater {

    /** What a change is good for where it cannot be stored, or where what it takes the place of cannot be read. */
    public enum Resolve {
        /** Nothing in either case. */
        IF_KEPT,
        /** It holds until the next restart or failover where it cannot be stored. */
        IF_READ,
        /** The same, and it takes the place of what cannot be read. */
        ALWAYS
    }

    /** @param error null, or why it holds until the next restart or failover alone, or not at once */
    public record Changed(OperatorState before, OperatorState after, @Nullable String error) {}

    /** What is changed, and in which epoch; unread when what is stored could not be read. */
    private record Basis(boolean active, long epoch, OperatorState state, boolean unread) {}

    private final PlacementLoop loop;
    private final OperatorStateStore store;

    public OperatorStateUpdater(PlacementLoop loop, OperatorStateStore store) {
        this.loop = loop;
        this.store = store;
    }

    /** @throws StandbyException when this NameNode does not decide, or stopped to before this was stored */
    public synchronized Changed change(UnaryOperator<OperatorState> change, Resolve resolve)
            throws IOException, TimeoutException, InterruptedException {
        Basis basis = loop.ask(placement ->
                new Basis(placement.isActive(), placement.epoch(), placement.operatorState(), store.isUnread()));
        if (!basis.active) {
            throw new StandbyException("placement is not active on this NameNode");
        }
        if (basis.unread && resolve != Resolve.ALWAYS) {
            throw new IOException("what stands in " + OperatorStateStore.NAME + " of / cannot be read, and this would"
                    + " erase it: put it right, or begin anew with on and resume, or off");
        }
        OperatorState changed = change.apply(basis.state);
        IOException failure = store(changed);
        String error = failure == null ? null : "not stored: " + failure.getMessage();
        if (error != null && resolve == Resolve.IF_KEPT) {
            throw new IOException(error, failure);
        }
        return new Changed(basis.state, changed, error == null ? tellStored(changed) : tell(basis, changed, error));
    }

    /**
     * What is stored takes effect in any case: this loop applies it, or another NameNode reads it.
     *
     * @return null, or that it takes a while
     * @throws IOException when so many calls wait for the loop that it takes no more
     */
    private @Nullable String tellStored(OperatorState changed) throws IOException, InterruptedException {
        try {
            loop.change(placement -> {
                if (placement.isActive()) {
                    store.tell(changed, true);
                    placement.operatorState(changed);
                }
                return changed;
            });
            return null;
        } catch (TimeoutException e) {
            return "stored; it takes effect as soon as the placement loop is free";
        } catch (RejectedExecutionException e) {
            throw new IOException("stored, but the placement loop is too busy to apply it now: repeat the command", e);
        }
    }

    /** What is not stored ends with the epoch in which the operator asked for it. */
    private String tell(Basis basis, OperatorState changed, String error)
            throws IOException, TimeoutException, InterruptedException {
        boolean told = loop.changeInTime(placement -> {
            boolean same = placement.isActive() && placement.epoch() == basis.epoch;
            if (same) {
                store.tell(changed, false);
                placement.operatorState(changed);
            }
            return same;
        });
        if (!told) {
            throw new StandbyException("a failover happened meanwhile; look at status and repeat the command");
        }
        return "holds until the next restart or failover; " + error;
    }

    /** @return null, or why it failed */
    private @Nullable IOException store(OperatorState state) throws StandbyException, InterruptedException {
        try {
            store.save(state);
            return null;
        } catch (StandbyException e) {
            // The NameNode became a standby, and the loop has not noticed it yet.
            throw e;
        } catch (IOException e) {
            return e;
        }
    }
}
