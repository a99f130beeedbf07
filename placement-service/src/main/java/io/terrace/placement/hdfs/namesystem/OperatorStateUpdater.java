package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.PlacementAgent;
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

    /** @param complaint null, or why it holds until the next restart or failover alone, or not at once */
    public record Changed(OperatorState before, OperatorState after, @Nullable String complaint) {}

    /** What is changed, and in which epoch; unread when nobody knows what is stored. */
    private record Basis(boolean active, long epoch, OperatorState orders, boolean unread) {}

    private final PlacementAgent loop;
    private final OperatorStateStore store;

    public OperatorStateUpdater(PlacementAgent loop, OperatorStateStore store) {
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
        OperatorState changed = change.apply(basis.orders);
        IOException failure = store(changed);
        String complaint = failure == null ? null : "not stored: " + failure.getMessage();
        if (complaint != null && resolve == Resolve.IF_KEPT) {
            throw new IOException(complaint, failure);
        }
        return new Changed(
                basis.orders, changed, complaint == null ? tellStored(changed) : tell(basis, changed, complaint));
    }

    /**
     * What is stored holds, whatever comes between: the loop comes to it, or another NameNode reads it.
     *
     * @return null, or that it takes a while
     * @throws IOException when so many calls wait for the loop that it takes no more
     */
    private @Nullable String tellStored(OperatorState changed) throws IOException, InterruptedException {
        try {
            loop.change(placement -> {
                if (placement.isActive()) {
                    store.tell(changed, true);
                    placement.standingOrders(changed);
                }
                return changed;
            });
            return null;
        } catch (TimeoutException e) {
            return "stored, and obeyed as soon as the placement loop comes to it";
        } catch (RejectedExecutionException e) {
            throw new IOException("stored, but the placement loop is too busy to obey now: say it again", e);
        }
    }

    /** What is not stored ends with the epoch in which it was said. */
    private String tell(Basis basis, OperatorState changed, String complaint)
            throws IOException, TimeoutException, InterruptedException {
        boolean told = loop.changeInTime(placement -> {
            boolean same = placement.isActive() && placement.epoch() == basis.epoch;
            if (same) {
                store.tell(changed, false);
                placement.standingOrders(changed);
            }
            return same;
        });
        if (!told) {
            throw new StandbyException("a failover came between; look at status and say it again");
        }
        return "holds until the next restart or failover; " + complaint;
    }

    /** @return null, or why it failed */
    private @Nullable IOException store(OperatorState orders) throws StandbyException, InterruptedException {
        try {
            store.save(orders);
            return null;
        } catch (StandbyException e) {
            // The NameNode stood down, and the loop has not seen it yet.
            throw e;
        } catch (IOException e) {
            return e;
        }
    }
}
