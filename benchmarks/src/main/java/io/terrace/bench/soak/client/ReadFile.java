package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * An open file, or a file of a snapshot, whose bytes are compared with the journal of its writer. What the writer did meanwhile
 * counts: if bytes may have gone, nothing is compared. Not thread-safe.
 */
final class ReadFile implements Closeable {
    private final Source source;
    private final FileState opened;
    private final HdfsDataInputStream in;
    private final long length;

    /**
     * Where a file is read.
     *
     * @param journal of its writer
     * @param content of all files of that writer
     * @param state of the file before it is opened
     * @param path where it is read
     * @param snapshot name of the snapshot; empty for the file itself
     */
    record Source(Journal journal, SeededContent content, FileState state, String path, String snapshot) {
        /** The state of the file now; null if bytes that it had may have gone, or the path. */
        @Nullable
        FileState now() throws IOException {
            JournalState files = journal.catchUp();
            if (!snapshot.isEmpty()) {
                return files.hasSnapshot(snapshot) ? state : null;
            }
            FileState file = files.file(state.id());
            return file != null && file.epoch() == state.epoch() && file.readable() ? file : null;
        }
    }

    private ReadFile(Source source, FileState opened, HdfsDataInputStream in, long length) {
        this.source = source;
        this.opened = opened;
        this.in = in;
        this.length = length;
    }

    static ReadFile open(FileSystem fs, Source source) throws IOException {
        HdfsDataInputStream in = (HdfsDataInputStream) fs.open(new Path(source.path()));
        boolean whole = false;
        try {
            ReadFile file = new ReadFile(source, source.state(), in, in.getVisibleLength());
            whole = true;
            return file;
        } finally {
            if (!whole) {
                in.close();
            }
        }
    }

    HdfsDataInputStream in() {
        return in;
    }

    long length() {
        return length;
    }

    /** Its state before it was opened. */
    FileState opened() {
        return opened;
    }

    String path() {
        return source.path();
    }

    /** Whether the file is still what it was when it was opened, or has more bytes at most. */
    boolean isCurrent() throws IOException {
        return source.now() != null;
    }

    /** The bytes that an acknowledged close or flush promised and that a new reader does not see. */
    long missing() throws IOException {
        return isCurrent() ? Math.max(0, opened.acknowledged() - length) : 0;
    }

    /** Compares bytes that were read, and says what differs; returns false if they cannot be compared. */
    boolean compare(long position, byte[] read, int count, byte[] expected, Report report, Tally tally, String how)
            throws IOException {
        FileState now = source.now();
        if (now == null) {
            tally.add("reads.overtaken", 1);
            return false;
        }
        now.fill(source.content(), position, expected, count);
        int differs = Arrays.mismatch(read, 0, count, expected, 0, count);
        if (differs >= 0) {
            long wrong = 0;
            for (int i = differs; i < count; i++) {
                wrong += read[i] == expected[i] ? 0 : 1;
            }
            report.wrong(
                    path(),
                    position + differs,
                    expected[differs],
                    read[differs],
                    wrong,
                    place(position + differs),
                    how);
        } else if (position + count > now.written()) {
            report.wrong(
                    path(),
                    now.written(),
                    0,
                    0,
                    position + count - now.written(),
                    Report.Place.UNKNOWN,
                    how + "-beyond");
        }
        tally.add("bytes.verified", count);
        tally.add("reads." + how, 1);
        return true;
    }

    /** Where a byte is. */
    Report.Place place(long position) {
        try {
            for (LocatedBlock block : in.getAllBlocks()) {
                long offset = position - block.getStartOffset();
                if (offset >= 0 && offset < block.getBlockSize()) {
                    return new Report.Place(block.getBlock().getBlockId(), offset);
                }
            }
        } catch (IOException nobodyKnows) {
            return Report.Place.UNKNOWN;
        }
        return Report.Place.UNKNOWN;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
