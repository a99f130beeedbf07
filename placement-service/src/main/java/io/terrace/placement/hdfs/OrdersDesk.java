package io.terrace.placement.hdfs;

import io.terrace.placement.Placement;
import io.terrace.placement.PlacementThread;
import io.terrace.placement.StandingOrders;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Changes the standing orders, one change at a time: stored first, then told to the loop. Storing has a thread of its own,
 * because on the caller's it would be done in the caller's name.
 */
final class OrdersDesk implements AutoCloseable {

    private final PlacementThread loop;
    private final StandingOrdersStore store;
    private final ExecutorService clerk = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "terrace-standing-orders");
        thread.setDaemon(true);
        return thread;
    });

    OrdersDesk(PlacementThread loop, StandingOrdersStore store) {
        this.loop = loop;
        this.store = store;
    }

    /**
     * @param mustBeKept refuse the change when it cannot be stored; else it holds until the next restart or failover
     * @return null, or why it could not be stored
     */
    synchronized @Nullable String change(UnaryOperator<StandingOrders> change, boolean mustBeKept)
            throws IOException, TimeoutException, InterruptedException {
        StandingOrders changed = change.apply(loop.ask(Placement::standingOrders));
        String complaint = null;
        try {
            clerk.submit(() -> {
                        store.save(changed, mustBeKept);
                        return null;
                    })
                    .get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            complaint = "not stored: " + cause.getMessage();
            if (mustBeKept) {
                throw new IOException(complaint, cause);
            }
        }
        loop.change(placement -> {
            placement.standingOrders(changed);
            return changed;
        });
        return complaint;
    }

    @Override
    public void close() {
        clerk.shutdownNow();
    }
}
