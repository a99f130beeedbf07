package io.terrace.placement.accesslog;

import io.terrace.common.Agent;
import io.terrace.common.AgentThread;
import io.terrace.common.RetryPause;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessBuffer.Batch;
import io.terrace.placement.accesslog.Segments.Segment;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Reader;
import io.terrace.policy.replay.TraceFormat;
import io.terrace.protocol.StampedBlock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what is read and written, as the DataNodes report it, to gzipped files in the {@link TraceFormat} that simulations
 * replay: seconds since 1970, block ids, no job, no names. An entry for several reads becomes as many rows, at most {@value
 * #MOST_ROWS}, all at the time of the heartbeat. Comments between the rows say where readers and replicas were ({@link
 * PlaceComment}). The paths of the blocks are in a file of their own beside it ({@link PathTable}).
 *
 * <p>The loop's thread only fills a buffer ({@link AccessBuffer}); a thread of its own empties it every {@value
 * #PERIOD_MS} ms. Files are for their owner only; an eighth of the bound, or {@value #SEGMENT_MS} ms, makes a file, and the
 * oldest goes when all exceed the bound, or are more than {@link Segments#MOST_SEGMENTS}. A disk that fails is tried again after a pause that grows ({@link RetryPause}). It
 * costs rows, which are counted: those of each try, and those that find the buffer full. The log has a line when it fails
 * and one when it works again.
 */
public final class AccessLog implements AccessListener, AutoCloseable {

    static final long PERIOD_MS = 1_000;
    static final long SEGMENT_MS = 3_600_000;
    /** A clock that is set back by more was wrong before; by less, time stands still until it has caught up. */
    static final long MOST_AHEAD_MS = 60_000;

    static final int MOST_ROWS = 64;
    public static final long LEAST_BYTES = 1 << 20;
    private static final long CLOSE_MS = 1_000;
    static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private final Segments segments;
    private final long mostBytes;
    private final LongSupplier wallMs;
    private final MetricRegistry metricRegistry;
    private final AccessBuffer buffer = new AccessBuffer();
    private final PathTable table;
    private final @Nullable LoggedHosts hosts;
    private final StringBuilder row = new StringBuilder(64);
    private final AgentThread thread;

    private final LongSupplier nanoClock;
    private final RetryPause retry = new RetryPause(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    private volatile long bytesOnDisk;
    private @Nullable CountedFile current;
    private long latestMs;

    /** A segment being written. */
    private static final class CountedFile {
        final long fromMs;
        final Path path;
        final OutputStream out;
        long host;
        long node;

        CountedFile(long fromMs, Path path) throws IOException {
            this.fromMs = fromMs;
            this.path = path;
            this.out = Segments.create(path);
            out.write((TraceFormat.HEADER + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * Opens the directory and starts the writer.
     *
     * @param mostBytes on disk, at least {@link #LEAST_BYTES}
     * @param wallMs milliseconds since 1970
     * @param looks asked by the writer's thread
     */
    public AccessLog(Path dir, long mostBytes, LongSupplier wallMs, Looks looks, MetricRegistry metricRegistry)
            throws IOException {
        this(dir, mostBytes, wallMs, System::nanoTime, looks, metricRegistry);
    }

    AccessLog(
            Path dir,
            long mostBytes,
            LongSupplier wallMs,
            LongSupplier nanoClock,
            Looks looks,
            MetricRegistry metricRegistry)
            throws IOException {
        this.table = new PathTable(looks.blocks, looks.paths, looks.blocksPerLook);
        this.segments = Segments.open(dir);
        this.hosts =
                looks.addresses == null ? null : new LoggedHosts(HostNumbers.open(dir), looks.addresses, looks.named);
        this.mostBytes = mostBytes;
        this.wallMs = wallMs;
        this.nanoClock = nanoClock;
        this.metricRegistry = metricRegistry;
        segments.trim(mostBytes, Long.MAX_VALUE);
        this.bytesOnDisk = segments.bytes(Long.MAX_VALUE);
        metricRegistry.gauge(Metric.PLACEMENT_ACCESS_LOG_BYTES, () -> bytesOnDisk);
        this.thread = new AgentThread(
                        "terrace-access-log", new Writer(), TimeUnit.MILLISECONDS.toNanos(PERIOD_MS), nanoClock)
                .start();
    }

    /**
     * What the log asks others for.
     *
     * @param paths whether the paths of blocks are kept
     * @param blocksPerLook blocks in one question
     * @param addresses of DataNodes by UUID, null for one that is not registered; null itself where the log leaves hosts out
     * @param named whether the log says which addresses its numbers stand for
     */
    public record Looks(
            BlockLook blocks,
            boolean paths,
            int blocksPerLook,
            @Nullable Function<String, @Nullable String> addresses,
            boolean named) {

        /** Of a log without hosts. */
        public static Looks paths(BlockLook blocks, int blocksPerLook) {
            return new Looks(blocks, true, blocksPerLook, null, false);
        }
    }

    @Override
    public boolean wantsReaders() {
        return hosts != null;
    }

    @Override
    public void accesses(Heartbeat heartbeat) {
        LoggedHosts known = hosts;
        long nowMs = wallMs.getAsLong();
        long node = known == null ? HostNumbers.UNKNOWN : known.heard(nowMs, heartbeat);
        for (Heat entry : heartbeat.heat()) {
            long reads = entry.reads();
            long bytes = entry.bytesRead();
            if (known != null) {
                for (Reader reader : entry.readers()) {
                    long some = Math.min(reads, reader.reads());
                    long theirs = some == reads ? bytes : (long) ((double) bytes / reads * some);
                    add(nowMs, entry, some, theirs, 0, 0, known.numberOf(reader), node);
                    reads -= some;
                    bytes -= theirs;
                }
            }
            add(nowMs, entry, reads, bytes, entry.writes(), entry.bytesWritten(), HostNumbers.UNKNOWN, node);
        }
    }

    private void add(
            long nowMs, Heat of, long reads, long bytesRead, long writes, long bytesWritten, long host, long node) {
        StampedBlock block = of.block();
        if (reads + writes > 0
                && !buffer.add(
                        nowMs, block.id(), block.lengthBytes(), reads, bytesRead, writes, bytesWritten, host, node)) {
            metricRegistry.increment(Metric.PLACEMENT_ACCESS_LOG_LOST);
        }
    }

    /** Writes at each turn, and what is left after the last. */
    private final class Writer implements Agent {
        @Override
        public int doWork(long nowNs) {
            turn();
            return 0;
        }

        @Override
        public void onClose() {
            write();
        }
    }

    /** Writes, unless the disk failed lately: what comes meanwhile waits in the buffer. */
    synchronized void turn() {
        if (retry.isOver(nanoClock.getAsLong())) {
            write();
        }
    }

    private synchronized void write() {
        Batch batch = buffer.take();
        int written = 0;
        try {
            for (; written < batch.entries(); written++) {
                entry(batch.values(), written * AccessBuffer.FIELDS);
            }
            CountedFile file = current;
            if (file != null) {
                comments(file);
                table.look((block, nodes) -> held(file, block, nodes));
                file.out.flush();
                roll(file);
            }
            // A turn without an access says nothing about the disk.
            if (file != null && retry.worked(nanoClock.getAsLong())) {
                LOG.info("The access log in {} is written again", segments.dir());
            }
        } catch (IOException e) {
            metricRegistry.add(Metric.PLACEMENT_ACCESS_LOG_LOST, batch.entries() - written);
            if (retry.failed(nanoClock.getAsLong())) {
                LOG.warn(
                        "The access log in {} cannot be written; accesses are lost until it can. It is tried again,"
                                + " once a minute at least. Mend or empty the directory, or set {} to another one and"
                                + " restart the NameNode",
                        segments.dir(),
                        TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.key(),
                        e);
            }
            abandon();
        }
    }

    private void roll(CountedFile file) throws IOException {
        boolean old = latestMs - file.fromMs > SEGMENT_MS;
        boolean full = segments.bytes(file.fromMs) > mostBytes;
        if (old || Files.size(file.path) > mostBytes / 8) {
            finish();
        }
        if (full) {
            segments.trim(mostBytes, file.fromMs);
        }
        bytesOnDisk = segments.bytes(file.fromMs);
    }

    private void entry(long[] values, int at) throws IOException {
        // Time in a trace never goes back.
        if (latestMs - values[at] > MOST_AHEAD_MS) {
            LOG.warn(
                    "The clock was set back by {} s. The access log goes on in a new file of {}; in the one before, times are of"
                            + " the clock that was ahead",
                    (latestMs - values[at]) / 1000,
                    segments.dir());
            finish();
            latestMs = values[at];
        }
        latestMs = Math.max(latestMs, values[at]);
        CountedFile file = current;
        if (file == null) {
            file = open();
            table.begin(segments.pathsFor(file.fromMs));
            if (hosts != null) {
                hosts.begin();
                comments(file);
            }
        }
        if (!table.meet(values[at + 1])) {
            metricRegistry.increment(Metric.PLACEMENT_ACCESS_LOG_UNNAMED);
        }
        by(file, values[at + 7], values[at + 8]);
        rows(file, false, values[at + 1], values[at + 2], values[at + 3], values[at + 4]);
        rows(file, true, values[at + 1], values[at + 2], values[at + 5], values[at + 6]);
    }

    /** DataNodes and hosts that the file does not know as they are. */
    private void comments(CountedFile file) throws IOException {
        if (hosts != null) {
            row.setLength(0);
            hosts.append(row, wallMs.getAsLong());
            file.out.write(row.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void held(CountedFile file, long block, List<String> nodes) throws IOException {
        if (hosts != null) {
            row.setLength(0);
            hosts.held(row, block, nodes);
            file.out.write(row.toString().getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Says whose the rows are that follow, unless they are the same readers'. */
    private void by(CountedFile file, long host, long node) throws IOException {
        if (hosts != null && (file.host != host || file.node != node)) {
            file.host = host;
            file.node = node;
            row.setLength(0);
            hosts.by(row, host, node);
            file.out.write(row.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private CountedFile open() throws IOException {
        while (Files.exists(segments.fileFor(latestMs))) {
            latestMs++;
        }
        segments.trim(mostBytes, latestMs);
        CountedFile file = new CountedFile(latestMs, segments.fileFor(latestMs));
        current = file;
        return file;
    }

    private void rows(CountedFile file, boolean write, long block, long length, long accesses, long bytes)
            throws IOException {
        long count = Math.min(MOST_ROWS, accesses);
        for (long i = 0; i < count; i++) {
            long part = bytes / count + (i == 0 ? bytes % count : 0);
            row.setLength(0);
            TraceFormat.append(row, latestMs, block, Math.min(length, part), write, length);
            file.out.write(row.toString().getBytes(StandardCharsets.US_ASCII));
        }
        metricRegistry.add(Metric.PLACEMENT_ACCESS_LOG_ROWS, count);
    }

    private void finish() throws IOException {
        CountedFile file = current;
        current = null;
        try (OutputStream out = file == null ? OutputStream.nullOutputStream() : file.out) {
            table.end();
        }
    }

    private void abandon() {
        try {
            finish();
        } catch (IOException e) {
            LOG.debug("The failed file cannot be closed either", e);
        }
    }

    /** Writes what is in memory and ends the file that is being written. */
    public synchronized void finishFile() throws IOException {
        write();
        finish();
    }

    /** Finished files with accesses from a time on, without those of a clock that was ahead. */
    public synchronized List<Segment> since(long fromMs) throws IOException {
        CountedFile open = current;
        long toMs = Math.max(latestMs, wallMs.getAsLong() + MOST_AHEAD_MS);
        return segments.since(fromMs).stream()
                .filter(segment -> open == null || !segment.file().equals(open.path))
                .filter(segment -> segment.fromMs() <= toMs)
                .toList();
    }

    /** A part of a file that {@link #since} named; empty at its end. */
    public byte[] read(String segment, long offset, int mostBytes) throws IOException {
        return segments.read(segment, offset, mostBytes);
    }

    /** A block that the log names, and the file that it belonged to. */
    public record NamedBlock(long block, String path) {}

    /**
     * Some of the blocks that a file of {@link #since} names.
     *
     * @param from those to leave out
     */
    public List<NamedBlock> named(Segment segment, int from, int most) throws IOException {
        Path file = segments.pathsFor(segment.fromMs());
        List<NamedBlock> named = new ArrayList<>();
        if (Files.exists(file)) {
            PathTable.read(file, from, most, (block, path) -> named.add(new NamedBlock(block, path)));
        }
        return named;
    }

    /** Writes what is left and ends the thread; waits a second for it. */
    @Override
    public void close() {
        // An interrupt would close the file that is being written.
        thread.close(false, CLOSE_MS);
        synchronized (this) {
            abandon();
        }
    }
}
