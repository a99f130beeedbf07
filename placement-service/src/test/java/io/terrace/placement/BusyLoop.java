package io.terrace.placement;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

/** A loop that is busy until this is closed. */
public final class BusyLoop implements AutoCloseable {

    private final CountDownLatch busy = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread asker;

    /** The loop is busy from now on. */
    public BusyLoop(PlacementLoop loop) throws InterruptedException {
        asker = new Thread(() -> {
            try {
                loop.ask(placement -> {
                    busy.countDown();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return placement;
                });
            } catch (TimeoutException | InterruptedException | IllegalStateException e) {
                // The asker's patience is not what is looked at.
            }
        });
        asker.start();
        busy.await();
    }

    @Override
    public void close() throws InterruptedException {
        done.countDown();
        asker.join();
    }
}
