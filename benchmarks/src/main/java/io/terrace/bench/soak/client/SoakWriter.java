package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Writes, appends to, truncates, renames and deletes the files of one directory, and makes snapshots of it; the journal has
 * each call before it is made and after it has returned. A call that fails leaves its file in doubt until {@link #settle}.
 * For one thread.
 */
final class SoakWriter {
    private static final int MAX_FILES = 32;
    private static final int MAX_SNAPSHOTS = 2;
    private static final int MAX_CALL = 200_000;
    private static final long MAX_FILE = 8L << 20;
    private static final long MEGABYTE = 1L << 20;
    private static final long SLOW_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long TRUNCATED_WITHIN_NS = TimeUnit.SECONDS.toNanos(20);

    private final DistributedFileSystem fs;
    private final java.nio.file.Path journals;
    private final Journal journal;
    private final JournalState state;
    private final String dir;
    private final SeededContent content;
    private final RandomGenerator random;
    private final Tally tally;
    private final Report report;
    private final QuietTime quiet;
    private final Map<Integer, Long> doubtfulSinceNs = new HashMap<>();
    private final ForgottenTruncates forgotten = new ForgottenTruncates();
    private final byte[] bytes = new byte[MAX_CALL];

    SoakWriter(
            DistributedFileSystem fs,
            java.nio.file.Path journals,
            Journal journal,
            String dir,
            SeededContent content,
            RandomGenerator random,
            Tally tally,
            Report report,
            QuietTime quiet)
            throws IOException {
        this.fs = fs;
        this.journals = journals;
        this.journal = journal;
        this.state = journal.catchUp();
        this.dir = dir;
        this.content = content;
        this.random = random;
        this.tally = tally;
        this.report = report;
        this.quiet = quiet;
    }

    /** Makes the directory. */
    void begin() throws IOException {
        fs.mkdirs(new Path(dir));
        fs.allowSnapshot(new Path(dir));
    }

    /** Makes one call, or settles what is in doubt. */
    void step() {
        if (!state.inDoubt().isEmpty()) {
            if (!settle()) {
                LockSupport.parkNanos(LOOK_NS);
            }
            return;
        }
        int draw = random.nextInt(100);
        List<FileState> files = List.copyOf(state.files());
        boolean wasQuiet = quiet.isNow();
        try {
            if (files.size() < 4 || (draw < 34 && files.size() < MAX_FILES)) {
                create();
            } else if (draw >= 96) {
                snapshot();
            } else if (draw >= 92) {
                unsnapshot();
            } else {
                change(files.get(random.nextInt(files.size())), draw);
            }
        } catch (IOException e) {
            tally.add("writes.failed", 1);
            tally.add("writes.failed." + e.getClass().getSimpleName(), 1);
            if (wasQuiet && quiet.isNow()) {
                report.failed("writes", dir, 0, false, e.toString());
            }
        }
    }

    private void change(FileState file, int draw) throws IOException {
        if (draw < 58 && file.written() < MAX_FILE) {
            append(file);
        } else if (draw < 70 && file.written() > 0) {
            truncate(file);
        } else if (draw < 80) {
            rename(file);
        } else {
            delete(file);
        }
    }

    private void create() throws IOException {
        int id = state.freshId();
        long blockBytes = (1 + random.nextInt(3)) * MEGABYTE;
        String path = dir + "/f" + id;
        journal.write("CREATE", id, state.freshVersion(), path, blockBytes);
        short replication = (short) (random.nextInt(4) == 0 ? 2 : 3);
        try (Writing file = new Writing(fs.create(new Path(path), false, 4096, replication, blockBytes))) {
            journal.write("CREATED", id);
            file.write(id, 0, random.nextInt(8) == 0 ? random.nextInt(2_000) : random.nextLong(MAX_FILE));
        }
        tally.add("ops.create", 1);
    }

    private void append(FileState file) throws IOException {
        journal.write("APPEND", file.id(), state.freshVersion());
        try (Writing out = new Writing(fs.append(new Path(file.path())))) {
            out.write(file.id(), file.written(), 1 + random.nextLong(2 * MEGABYTE));
        }
        tally.add("ops.append", 1);
    }

    /** An open stream, closed at the end only if all went well: what failed first is what counts. */
    private final class Writing implements AutoCloseable {
        private final FSDataOutputStream out;
        private boolean whole;

        Writing(FSDataOutputStream out) {
            this.out = out;
        }

        void write(int id, long from, long length) throws IOException {
            long end = from + length;
            boolean slow = random.nextInt(3) == 0;
            int most = random.nextInt(4) == 0 ? 5_000 : MAX_CALL;
            int flushes = random.nextInt(3) * 8;
            for (long at = from; at < end; ) {
                int count = (int) Math.min(end - at, 1 + random.nextInt(most));
                journal.write("WRITE", id, at + count);
                FileState file = state.file(id);
                if (file == null) {
                    throw new IllegalStateException("file " + id + " is gone while it is written");
                }
                file.fill(content, at, bytes, count);
                out.write(bytes, 0, count);
                at += count;
                if (random.nextInt(100) < flushes) {
                    if (random.nextInt(4) == 0) {
                        out.hsync();
                    } else {
                        out.hflush();
                    }
                    journal.write("FLUSHED", id, at);
                }
                if (slow) {
                    LockSupport.parkNanos(SLOW_NS);
                }
            }
            out.close();
            journal.write("CLOSED", id, end);
            tally.add("bytes.written", length);
            whole = true;
        }

        @Override
        public void close() {
            if (whole) {
                return;
            }
            try {
                out.close();
            } catch (IOException e) {
                tally.add("closes.failed", 1);
            }
        }
    }

    private void truncate(FileState file) throws IOException {
        long length = random.nextLong(file.written());
        journal.write("TRUNCATE", file.id(), length, NameNodeActivations.count(journals));
        boolean done = fs.truncate(new Path(file.path()), length);
        long startNs = System.nanoTime();
        while (!done && System.nanoTime() - startNs < TRUNCATED_WITHIN_NS) {
            LockSupport.parkNanos(LOOK_NS);
            done = fs.isFileClosed(new Path(file.path()));
        }
        if (done) {
            journal.write("FOUND", file.id(), file.path(), length);
            tally.add("ops.truncate", 1);
        }
    }

    private void rename(FileState file) throws IOException {
        String target = dir + "/f" + file.id() + "." + state.freshVersion() + "." + random.nextInt(1_000_000);
        journal.write("RENAME", file.id(), target);
        if (!fs.rename(new Path(file.path()), new Path(target))) {
            throw new IOException("the rename was refused");
        }
        journal.write("FOUND", file.id(), target, file.written());
        tally.add("ops.rename", 1);
    }

    private void delete(FileState file) throws IOException {
        journal.write("DELETE", file.id());
        if (!fs.delete(new Path(file.path()), false)) {
            throw new IOException("there was nothing to delete");
        }
        journal.write("GONE", file.id());
        tally.add("ops.delete", 1);
    }

    private void snapshot() throws IOException {
        if (state.snapshots().size() >= MAX_SNAPSHOTS) {
            unsnapshot();
            return;
        }
        String name = state.freshSnapshot();
        journal.write("SNAPSHOT", name);
        fs.createSnapshot(new Path(dir), name);
        journal.write("SNAPSHOTTED", name);
        tally.add("ops.snapshot", 1);
    }

    private void unsnapshot() throws IOException {
        if (state.snapshots().isEmpty()) {
            return;
        }
        String name = state.snapshots().iterator().next().name();
        journal.write("UNSNAPSHOT", name);
        if (fs.exists(new Path(dir + "/.snapshot/" + name))) {
            fs.deleteSnapshot(new Path(dir), name);
        }
        journal.write("UNSNAPSHOTTED", name);
        tally.add("ops.unsnapshot", 1);
    }

    /** Looks what became of calls that failed, or that an earlier process made. Returns whether nothing is in doubt. */
    boolean settle() {
        for (FileState file : state.inDoubt()) {
            doubtfulSinceNs.putIfAbsent(file.id(), System.nanoTime());
            try {
                settle(file);
            } catch (IOException e) {
                tally.add("settles.failed", 1);
            }
        }
        return state.inDoubt().isEmpty();
    }

    private void settle(FileState file) throws IOException {
        String path = file.path();
        FileStatus status = status(path);
        if (status == null && file.phase() == FileState.Phase.RENAMING) {
            path = file.otherPath();
            status = status(path);
        }
        if (status == null) {
            if (file.phase() != FileState.Phase.CREATING && file.phase() != FileState.Phase.DELETING) {
                report.lost(path, file.acknowledged(), "the file is gone, " + file.phase());
            }
            journal.write("GONE", file.id());
            return;
        }
        Path there = new Path(path);
        if (!fs.isFileClosed(there) && !fs.recoverLease(there)) {
            abandonForgotten(file, there);
            return;
        }
        status = status(path);
        if (status == null || !fs.isFileClosed(there)) {
            return;
        }
        long length = status.getLen();
        if (!file.mayHave(length)) {
            if (length < file.acknowledged()) {
                report.lost(path, file.acknowledged() - length, "has " + length + " bytes, " + file.phase());
            } else {
                report.wrong(path, file.written(), 0, 0, length - file.written(), Report.Place.UNKNOWN, "length");
                journal.write("DELETE", file.id());
                fs.delete(there, false);
                journal.write("GONE", file.id());
                return;
            }
        }
        journal.write("FOUND", file.id(), path, length);
        tally.add("ops.settled", 1);
        Long sinceNs = doubtfulSinceNs.remove(file.id());
        if (sinceNs != null) {
            report.say("SETTLED " + path + " " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs));
        }
    }

    private void abandonForgotten(FileState file, Path there) throws IOException {
        LocatedBlock last = fs.getClient().getLocatedBlocks(file.path(), 0).getLastLocatedBlock();
        boolean located = last == null || last.getLocations().length > 0;
        JournalState.Cut cut = state.cut(file.id());
        boolean explained = file.phase() == FileState.Phase.TRUNCATING
                && cut != null
                && cut.mayBeForgotten(NameNodeActivations.count(journals));
        if (forgotten.isForgotten(file.id(), explained, located, System.nanoTime())) {
            journal.write("DELETE", file.id());
            fs.delete(there, false);
            journal.write("GONE", file.id());
            tally.add("truncates.forgotten", 1);
        }
    }

    private @org.jspecify.annotations.Nullable FileStatus status(String path) throws IOException {
        try {
            return fs.getFileStatus(new Path(path));
        } catch (FileNotFoundException absent) {
            return null;
        }
    }
}
