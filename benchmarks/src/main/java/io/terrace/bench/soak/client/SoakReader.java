package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.CannotObtainBlockLengthException;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.io.ElasticByteBufferPool;
import org.jspecify.annotations.Nullable;

/** Reads files of all writers, in one way after another, and compares each byte. For one thread. */
final class SoakReader implements Closeable {
    private static final int MAX_OPEN = 24;
    private static final int MAX_READ = 256 << 10;

    private final FileSystem fs;
    private final List<WriterFiles> writers;
    private final RandomGenerator random;
    private final Tally tally;
    private final Report report;
    private final QuietTime quiet;
    private final byte[] actual = new byte[MAX_READ];
    private final byte[] expected = new byte[MAX_READ];
    private final ElasticByteBufferPool pool = new ElasticByteBufferPool();
    private final Map<String, ReadFile> kept = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

    /** What is being read, and where; null before the first read of a step. */
    private @Nullable ReadFile reading;

    private long readingAt;

    /** Whether that read may be given a mapping. */
    private boolean mapping;

    /**
     * The files of one writer.
     *
     * @param journal read by this thread alone
     * @param dir of its files
     */
    record WriterFiles(Journal journal, String dir, SeededContent content) {}

    SoakReader(
            FileSystem fs,
            List<WriterFiles> writers,
            RandomGenerator random,
            Tally tally,
            Report report,
            QuietTime quiet) {
        this.fs = fs;
        this.quiet = quiet;
        this.writers = List.copyOf(writers);
        this.random = random;
        this.tally = tally;
        this.report = report;
    }

    /** Reads from one file. A read that fails is counted: whether bytes are lost shows when nothing is broken. */
    void step() throws IOException {
        Optional<ReadFile.Source> source = draw();
        if (source.isEmpty()) {
            return;
        }
        boolean wasQuiet = quiet.isNow();
        reading = null;
        mapping = false;
        try {
            int way = random.nextInt(4);
            if (way < 2) {
                positioned(source.get());
            } else {
                try (ReadFile file = open(source.get())) {
                    if (way == 2) {
                        sequential(file);
                    } else {
                        zeroCopy(file);
                    }
                }
            }
        } catch (IOException e) {
            tally.add("reads.failed", 1);
            tally.add("reads.failed." + e.getClass().getSimpleName(), 1);
            if (wasQuiet && quiet.isNow()) {
                failedInQuiet(source.get(), e);
            }
        }
    }

    /** Unless its writer has changed or removed the file meanwhile, nothing excuses it. */
    private void failedInQuiet(ReadFile.Source source, IOException e) throws IOException {
        FileState now = source.now();
        if (now == null) {
            return;
        }
        boolean open = source.state().phase() == FileState.Phase.OPEN || now.phase() == FileState.Phase.OPEN;
        if (open && e instanceof CannotObtainBlockLengthException) {
            // Stock HDFS gives up where the DataNodes do not have a replica yet, or have just got another stamp for it.
            tally.add("reads.failed.quiet.length", 1);
            return;
        }
        if (mapping && isBeyondSnapshot(source, e)) {
            tally.add("reads.failed.quiet.snapshot", 1);
            return;
        }
        long block = reading == null ? 0 : reading.place(readingAt).block();
        report.failed("reads", source.path(), block, HiddenReplica.mayBe(fs.getConf(), e), e.toString());
    }

    /**
     * Stock's {@code DFSInputStream.tryReadZeroCopy} maps up to the end of the block, not of the file, and then seeks there. The
     * last block of a file of a snapshot is longer than the file if the file was appended to since.
     */
    private static boolean isBeyondSnapshot(ReadFile.Source source, IOException e) {
        return !source.snapshot().isEmpty()
                && e instanceof EOFException
                && String.valueOf(e.getMessage()).contains("Cannot seek after EOF");
    }

    private Optional<ReadFile.Source> draw() throws IOException {
        WriterFiles writer = writers.get(random.nextInt(writers.size()));
        JournalState state = writer.journal().catchUp();
        if (random.nextInt(8) == 0) {
            List<JournalState.Snapshot> snapshots = state.snapshots().stream()
                    .filter(snapshot -> snapshot.there() && !snapshot.files().isEmpty())
                    .toList();
            if (!snapshots.isEmpty()) {
                JournalState.Snapshot snapshot = snapshots.get(random.nextInt(snapshots.size()));
                FileState file =
                        snapshot.files().get(random.nextInt(snapshot.files().size()));
                return Optional.of(snapshotSource(writer, snapshot.name(), file));
            }
        }
        List<FileState> files =
                state.files().stream().filter(FileState::readable).toList();
        if (files.isEmpty()) {
            return Optional.empty();
        }
        // Some files are hot.
        int index = random.nextInt(3) == 0 ? random.nextInt(files.size()) : random.nextInt(1 + files.size() / 4);
        FileState file = files.get(index);
        return Optional.of(source(writer, file));
    }

    static ReadFile.Source source(WriterFiles writer, FileState file) {
        return new ReadFile.Source(writer.journal(), writer.content(), file, file.path(), "");
    }

    static ReadFile.Source snapshotSource(WriterFiles writer, String snapshot, FileState file) {
        String path = writer.dir() + "/.snapshot/" + snapshot
                + file.path().substring(writer.dir().length());
        return new ReadFile.Source(writer.journal(), writer.content(), file, path, snapshot);
    }

    private ReadFile open(ReadFile.Source source) throws IOException {
        boolean wasQuiet = quiet.isNow();
        ReadFile file = ReadFile.open(fs, source);
        long missing = file.missing();
        if (missing > 0) {
            if (source.state().phase() == FileState.Phase.CLOSED) {
                report.lost(source.path(), missing, "a reader sees " + file.length() + " bytes");
            } else {
                isShort(wasQuiet, source.path(), missing, "a reader sees " + file.length() + " bytes");
            }
        }
        return file;
    }

    /** While DataNodes are away nobody knows how long a file is that is being written. */
    private void isShort(boolean wasQuiet, String path, long bytes, String why) {
        tally.add("reads.short", 1);
        if (wasQuiet && quiet.isNow()) {
            report.failed("short", path, 0, false, bytes + " bytes are missing: " + why);
        }
    }

    /** A stream ends where the file ended when it was opened, or later. */
    private void ended(ReadFile file, long position, boolean wasQuiet, String how) throws IOException {
        long missing = file.length() - position;
        if (missing <= 0 || !file.isCurrent()) {
            return;
        }
        String why = how + " ends at " + position;
        if (file.opened().phase() == FileState.Phase.CLOSED) {
            report.lost(file.path(), missing, why);
        } else {
            isShort(wasQuiet, file.path(), missing, why);
        }
    }

    /** By position, from streams that stay open, as HBase reads. */
    private void positioned(ReadFile.Source source) throws IOException {
        ReadFile file = keptOrOpened(source);
        try {
            for (int i = 1 + random.nextInt(8); i > 0 && file.length() > 0; i--) {
                long position = random.nextLong(file.length());
                int count = (int) Math.min(1 + random.nextInt(MAX_READ), file.length() - position);
                readsAt(file, position);
                file.in().readFully(position, actual, 0, count);
                if (!file.compare(position, actual, count, expected, report, tally, "positioned")) {
                    return;
                }
            }
        } catch (IOException e) {
            kept.remove(source.path());
            file.close();
            throw e;
        }
    }

    private ReadFile keptOrOpened(ReadFile.Source source) throws IOException {
        ReadFile file = kept.get(source.path());
        if (file != null && (!file.isCurrent() || random.nextInt(16) == 0)) {
            kept.remove(source.path());
            file.close();
            file = null;
        }
        if (file == null) {
            if (kept.size() >= MAX_OPEN) {
                Iterator<ReadFile> oldest = kept.values().iterator();
                oldest.next().close();
                oldest.remove();
            }
            file = open(source);
            kept.put(source.path(), file);
        }
        return file;
    }

    /** Notes what is read next, for the case that it fails. */
    private void readsAt(ReadFile file, long position) {
        reading = file;
        readingAt = position;
    }

    private void sequential(ReadFile file) throws IOException {
        HdfsDataInputStream in = file.in();
        long position = random.nextBoolean() || file.length() == 0 ? 0 : random.nextLong(file.length());
        in.seek(position);
        int most = 1 + random.nextInt(MAX_READ);
        boolean wasQuiet = quiet.isNow();
        while (true) {
            readsAt(file, position);
            int got = in.read(actual, 0, most);
            if (got < 0) {
                ended(file, position, wasQuiet, "a stream");
                return;
            }
            if (!file.compare(position, actual, got, expected, report, tally, "sequential")) {
                return;
            }
            position += got;
        }
    }

    private void zeroCopy(ReadFile file) throws IOException {
        HdfsDataInputStream in = file.in();
        // Bits are flipped in replicas, so that checksums must not be skipped.
        EnumSet<ReadOption> options = EnumSet.noneOf(ReadOption.class);
        long position = file.length() == 0 ? 0 : random.nextLong(file.length());
        in.seek(position);
        boolean wasQuiet = quiet.isNow();
        mapping = true;
        for (int i = 0; i < 16; i++) {
            readsAt(file, position);
            long mappedBytes = in.getReadStatistics().getTotalZeroCopyBytesRead();
            ByteBuffer buffer = in.read(pool, 1 + random.nextInt(MAX_READ), options);
            if (buffer == null) {
                ended(file, position, wasQuiet, "a stream without copies");
                return;
            }
            int count = buffer.remaining();
            boolean mapped = in.getReadStatistics().getTotalZeroCopyBytesRead() > mappedBytes;
            try {
                buffer.get(actual, 0, count);
            } finally {
                in.releaseBuffer(buffer);
            }
            if (!file.compare(position, actual, count, expected, report, tally, mapped ? "mapped" : "zerocopy")) {
                return;
            }
            position += count;
        }
    }

    /** Closes what it keeps open; it may go on afterwards. */
    void rest() throws IOException {
        for (ReadFile file : new ArrayList<>(kept.values())) {
            file.close();
        }
        kept.clear();
    }

    @Override
    public void close() throws IOException {
        rest();
        for (WriterFiles writer : writers) {
            writer.journal().close();
        }
    }
}
