package io.terrace.bench.write;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ResultSheet;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The most memory outside the heap that the client and any DataNode held while something was written, beyond what they held when
 * this was made. Direct buffers are all that writes hold outside the heap.
 */
final class DirectMemory {
    private static final double MEBIBYTE = 1 << 20;

    /** What the settings allow a client with a heap of a gigabyte, and for each file that is open. */
    private static final double CLIENT_BYTES = 64 << 20;

    private static final double CLIENT_FILE_BYTES = 65 << 10;

    /** Connections, RPC, and the reads that compare what was written. */
    private static final double CLIENT_REST_BYTES = 512 << 10;

    /** One is written while DataNodes still get the one before. */
    private static final int BLOCKS_OF_A_FILE = 2;

    /** Of a block: two buffers for data, to receive it and to send it on, with their checksums, and those for headers. */
    private static final double DATANODE_BLOCK_BYTES = 2 * (320 << 10) + (8 << 10);

    private static final Pattern USED = Pattern.compile("\"MemoryUsed\"\\s*:\\s*(\\d+)");
    private static final String DIRECT = "direct";
    private static final long POLL_MS = 20;

    /** The threads of a DataNode's web server have direct buffers too, each after its first request. */
    private static final int WARM_REQUESTS = 16;

    private final LocalCluster cluster;
    private final BufferPoolMXBean own;
    private final long ownAtStart;
    private final long[] datanodesAtStart;
    private volatile long mostOwn;

    DirectMemory(LocalCluster cluster) throws IOException {
        this.cluster = cluster;
        this.own = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(DIRECT))
                .findFirst()
                .orElseThrow();
        this.ownAtStart = own.getMemoryUsed();
        long[] asked = datanodes();
        for (int i = 0; i < WARM_REQUESTS; i++) {
            asked = datanodes();
        }
        this.datanodesAtStart = asked;
    }

    /** Watches this process until it is closed. A DataNode keeps what it once used, so it need not be watched. */
    Watch watch() {
        return new Watch();
    }

    /** Scores what was seen so far. */
    void score(String id, int writers, ResultSheet scores) throws IOException {
        long mostDatanode = 0;
        long[] now = datanodes();
        for (int i = 0; i < now.length; i++) {
            mostDatanode = Math.max(mostDatanode, now[i] - datanodesAtStart[i]);
        }
        scores.atMost(
                id + ".client_mb",
                (mostOwn - ownAtStart) / MEBIBYTE,
                (CLIENT_BYTES + writers * CLIENT_FILE_BYTES + CLIENT_REST_BYTES) / MEBIBYTE);
        scores.atMost(
                id + ".datanode_mb",
                mostDatanode / MEBIBYTE,
                writers * BLOCKS_OF_A_FILE * DATANODE_BLOCK_BYTES / MEBIBYTE);
    }

    private long[] datanodes() throws IOException {
        long[] used = new long[cluster.spec().datanodes()];
        for (int i = 0; i < used.length; i++) {
            String page = "http://localhost:"
                    + cluster.ports().datanodes().get(i).http() + "/jmx?qry=java.nio:type=BufferPool,name=" + DIRECT;
            try (var in = URI.create(page).toURL().openStream()) {
                Matcher value = USED.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                if (!value.find()) {
                    throw new IOException(page + " does not say what is used");
                }
                used[i] = Long.parseLong(value.group(1));
            }
        }
        return used;
    }

    /** A thread that looks now and then. */
    final class Watch implements Closeable {
        private final Thread thread = new Thread(this::run, "bench-direct-memory");

        private Watch() {
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                while (true) {
                    mostOwn = Math.max(mostOwn, own.getMemoryUsed());
                    TimeUnit.MILLISECONDS.sleep(POLL_MS);
                }
            } catch (InterruptedException closed) {
                return;
            }
        }

        @Override
        public void close() throws IOException {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }
}
