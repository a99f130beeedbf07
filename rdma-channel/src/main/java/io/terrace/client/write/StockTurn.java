package io.terrace.client.write;

/**
 * Whether it is stock's streamer that goes on with a file. It has opened its block then, and waits until all DataNodes have the
 * blocks before; meanwhile its connection is kept alive. Used by the streamer's thread.
 */
final class StockTurn {
    private final StockStreamer stock;
    private boolean come;

    /** Since when its connection has heard nothing. */
    private long quietSinceNs;

    StockTurn(StockStreamer stock) {
        this.stock = stock;
    }

    boolean hasCome() {
        return come;
    }

    /** @param now whether it goes on, as a DataNode has no channel */
    void comes(boolean now) {
        come = now;
        quietSinceNs = System.nanoTime();
    }

    /** Sends a heartbeat where it is time for one; says how long until the next one. */
    long keepAlive(long nowNs) {
        if (!come) {
            return Long.MAX_VALUE;
        }
        long leftNs = quietSinceNs + stock.keepAliveNs() - nowNs;
        if (leftNs > 0) {
            return leftNs;
        }
        quietSinceNs = nowNs;
        stock.sendHeartbeat();
        return stock.keepAliveNs();
    }
}
