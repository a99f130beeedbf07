package io.terrace.bench.simulation.kernel;

import java.util.ArrayDeque;

/**
 * A Unix-domain connection between a client and the DataNode of its host: nothing is lost or reordered, but messages
 * take time, and the kernel closes it when either process dies. The DataNode handles a client's messages one at a time.
 */
public final class Connection {

    private final Scheduler scheduler;
    private final OsProcess client;
    private final OsProcess server;
    private final Runnable serverSeesEnd;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private long lastToServerNs;
    private long lastToClientNs;
    private boolean closed;
    private boolean busy;

    /**
     * @param serverSeesEnd run in the server when the client closed or died
     * @param clientSeesEnd run in the client when the server died
     */
    public Connection(
            Scheduler scheduler, OsProcess client, OsProcess server, Runnable serverSeesEnd, Runnable clientSeesEnd) {
        this.scheduler = scheduler;
        this.client = client;
        this.server = server;
        this.serverSeesEnd = serverSeesEnd;
        client.atDeath(this::close);
        server.atDeath(() -> {
            if (!closed) {
                closed = true;
                client.after(delayNs(), "connection ends", clientSeesEnd);
            }
        });
    }

    public boolean isOpen() {
        return !closed;
    }

    public void toServer(String what, Runnable delivery) {
        if (!closed) {
            lastToServerNs = Math.max(lastToServerNs, scheduler.nowNs() + delayNs());
            server.after(lastToServerNs - scheduler.nowNs(), what, () -> serve(delivery));
        }
    }

    private void serve(Runnable delivery) {
        if (busy) {
            waiting.add(delivery);
            return;
        }
        busy = true;
        try {
            delivery.run();
        } finally {
            busy = false;
        }
        Runnable next = waiting.poll();
        if (next != null) {
            serve(next);
        }
    }

    public void toClient(String what, Runnable delivery) {
        if (!closed) {
            lastToClientNs = Math.max(lastToClientNs, scheduler.nowNs() + delayNs());
            client.after(lastToClientNs - scheduler.nowNs(), what, () -> {
                if (!closed) {
                    delivery.run();
                }
            });
        }
    }

    /** Closed by the client, or by the kernel for it. Messages sent before still arrive. */
    void close() {
        if (!closed) {
            toServer("connection ends", serverSeesEnd);
            closed = true;
        }
    }

    private long delayNs() {
        return scheduler.between(5_000, scheduler.oneIn(20) ? 30_000_000 : 300_000);
    }
}
