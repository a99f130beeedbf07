package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.HdfsCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.client.ClientMetrics;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * Clients that read all the time, one with Terrace and one without, and one with Terrace that writes files anew, over the channel
 * where the DataNodes have one, and reads them; all compare every byte, and calls that fail are counted.
 */
final class SteadyLoad implements Closeable {
    /** DataNodes and the client that writes must agree on it. */
    static final String PORT_OFFSET_KEY = "terrace.channel.tcp.port.offset";

    private static final int FILES = 24;
    private static final int REWRITTEN = 4;
    private static final int FILE_BYTES = 2 << 20;
    private static final int PIECE = 256 << 10;
    /** A call that Hadoop's client repeats ends by then, or hangs. */
    private static final int CLOSE_SECONDS = 60;

    private static final List<String> CLIENTS = List.of("stock", "terrace", "writer");

    private final HdfsCluster cluster;
    private final DataSet data;
    private final DataSet rewritten;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Clients hold it shared for each call. */
    private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock(true);

    /** How often each rewritten file was written anew; for who holds {@link #calls}. */
    private final int[] versions = new int[REWRITTEN];

    /** Calls that ended well, by client. */
    private final AtomicLongArray done = new AtomicLongArray(CLIENTS.size());

    private final List<Thread> threads = new ArrayList<>();
    private volatile String firstFailure = "";

    SteadyLoad(HdfsCluster cluster, long seed) throws IOException {
        this.cluster = cluster;
        this.data = files("/data/", FILES, seed);
        this.rewritten = files("/anew/", REWRITTEN, ~seed);
        try (VerifyingClient writer = client(false, data)) {
            for (int i = 0; i < FILES; i++) {
                writer.store(i);
            }
        }
        try (VerifyingClient writer = client(false, rewritten)) {
            for (int i = 0; i < REWRITTEN; i++) {
                writer.store(i);
            }
        }
        threads.add(DaemonThreads.make("upgrade-stock", () -> loop(0, false, data, this::read)));
        threads.add(DaemonThreads.make("upgrade-terrace", () -> loop(1, true, data, this::read)));
        threads.add(DaemonThreads.make("upgrade-writer", () -> loop(2, true, rewritten, this::write)));
        threads.forEach(Thread::start);
    }

    private static DataSet files(String dir, int count, long seed) {
        return new DataSet(
                IntStream.range(0, count)
                        .mapToObj(i -> new StoredFile(dir + i, FILE_BYTES, true))
                        .toList(),
                new SeededContent(seed));
    }

    private interface Work {
        /** Returns how many bytes it compared and found wrong. */
        VerifyingClient.Outcome run(VerifyingClient client, SplittableRandom random) throws IOException;
    }

    private VerifyingClient.Outcome read(VerifyingClient client, SplittableRandom random) throws IOException {
        return client.read(random.nextInt(FILES), (long) random.nextInt(FILE_BYTES / PIECE) * PIECE, PIECE);
    }

    private VerifyingClient.Outcome write(VerifyingClient client, SplittableRandom random) throws IOException {
        int file = random.nextInt(REWRITTEN);
        client.rewrite(file);
        return client.read(file, 0, FILE_BYTES);
    }

    private void loop(int number, boolean terrace, DataSet files, Work work) {
        SplittableRandom random = new SplittableRandom(terrace ? 1 : 2);
        try (VerifyingClient client = client(terrace, files)) {
            while (!ended.get()) {
                calls.readLock().lock();
                try {
                    VerifyingClient.Outcome outcome = work.run(client, random);
                    bytes.addAndGet(outcome.bytes());
                    wrong.addAndGet(outcome.wrongBytes());
                    done.incrementAndGet(number);
                } catch (IOException | RuntimeException | Error e) {
                    fail(e);
                } finally {
                    calls.readLock().unlock();
                }
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(Throwable e) {
        if (failed.getAndIncrement() == 0) {
            firstFailure =
                    LocalTime.now().withNano(0) + " " + Thread.currentThread().getName() + ": " + e;
        }
    }

    private VerifyingClient client(boolean terrace, DataSet files) throws IOException {
        Configuration conf = cluster.confStock();
        conf.set("dfs.client.failover.sleep.base.millis", "100");
        conf.set("dfs.client.failover.sleep.max.millis", "1000");
        conf.set("dfs.client.failover.max.attempts", "120");
        if (terrace) {
            conf.set("fs.hdfs.impl", "io.terrace.fs.TerraceFileSystem");
            conf.set("terrace.channel.dir", cluster.layout().channel().toString());
        }
        if (terrace && files == rewritten) {
            conf.set("terrace.client.write.enabled", "true");
        } else {
            // Readers have the memory of their host alone.
            conf.unset(PORT_OFFSET_KEY);
        }
        FileSystem fs = FileSystem.newInstance(URI.create(cluster.fileSystemUri()), conf);
        return new VerifyingClient(fs, files, files == data ? new int[FILES] : versions);
    }

    /** No client has a call under way until {@link #resume}, which the same thread calls. */
    void pause() {
        calls.writeLock().lock();
    }

    void resume() {
        calls.writeLock().unlock();
    }

    /** How often each rewritten file was written anew until now; for who has paused the load. */
    int[] versions() {
        return versions.clone();
    }

    /** A rollback has brought the rewritten files back to these versions; for who has paused the load. */
    void rolledBackTo(int[] before) {
        System.arraycopy(before, 0, versions, 0, versions.length);
    }

    /** Waits until each client has ended a call that began after this one; returns the first that has not in that time. */
    Optional<String> progress(int seconds) throws IOException {
        long[] before = LongStream.range(0, CLIENTS.size())
                // The call under way may have begun before.
                .map(i -> done.get((int) i) + 1)
                .toArray();
        return Waits.untilRight(seconds, () -> IntStream.range(0, before.length)
                .filter(i -> done.get(i) <= before[i])
                .mapToObj(i -> "the client " + CLIENTS.get(i) + " makes no calls")
                .findFirst());
    }

    /** Reads every file whole, while none is written; returns how many bytes are wrong. */
    long check() throws IOException {
        calls.writeLock().lock();
        try {
            return wrongIn(data, FILES) + wrongIn(rewritten, REWRITTEN);
        } finally {
            calls.writeLock().unlock();
        }
    }

    private long wrongIn(DataSet files, int count) throws IOException {
        long differ = 0;
        try (VerifyingClient client = client(false, files)) {
            for (int i = 0; i < count; i++) {
                differ += client.read(i, 0, FILE_BYTES).wrongBytes();
            }
        }
        return differ;
    }

    /** Bytes of all that were compared. */
    long bytes() {
        return bytes.get();
    }

    long wrong() {
        return wrong.get();
    }

    /** Calls that failed. */
    long failed() {
        return failed.get();
    }

    /** The first call that failed; empty if none has. */
    String firstFailure() {
        return firstFailure;
    }

    /** Bytes that the client with Terrace read from memory. */
    static long memoryBytes() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
    }

    /** Bytes that the client with Terrace wrote over the channel, acknowledged by all DataNodes of their blocks. */
    static long channelBytes() {
        return ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
    }

    @Override
    public void close() throws IOException {
        ended.set(true);
        for (Thread thread : threads) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
                if (thread.isAlive()) {
                    throw new IOException(
                            thread.getName() + " is in a call that has not ended for " + CLOSE_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                throw Waits.interrupted(e);
            }
        }
    }
}
