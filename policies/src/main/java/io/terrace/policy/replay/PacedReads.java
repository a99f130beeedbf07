package io.terrace.policy.replay;

import io.terrace.policy.firstread.FileBlocks;
import java.util.PriorityQueue;

/**
 * A trace of files as one of their blocks, read and written at a pace: each access is one reader or writer, who goes from the
 * first block on, so many bytes a second. A block's time is when its last byte was read. Blocks of a file are numbered in a row,
 * those too which nobody reads.
 */
public final class PacedReads implements FileBlocks {

    private final Trace whole;
    private final long blockBytes;
    private final long[] largest;
    /** Number of the first block of each file, and of one file more. */
    private final int[] first;

    private final int[] files;
    private final Trace trace;

    private record Next(long timeMs, int row, long doneBytes) implements Comparable<Next> {
        @Override
        public int compareTo(Next other) {
            return timeMs != other.timeMs ? Long.compare(timeMs, other.timeMs) : Integer.compare(row, other.row);
        }
    }

    /**
     * Splits a trace.
     *
     * @param bytesPerS of each reader and writer
     */
    public PacedReads(Trace whole, long blockBytes, long bytesPerS) {
        this.whole = whole;
        this.blockBytes = blockBytes;
        this.largest = new long[whole.objects()];
        for (int row = 0; row < whole.rows(); row++) {
            int file = whole.object(row);
            largest[file] = Math.max(largest[file], whole.size(row));
        }
        this.first = new int[whole.objects() + 1];
        for (int file = 0; file < whole.objects(); file++) {
            first[file + 1] = first[file] + blocksOf(largest[file]);
        }
        this.files = new int[first[whole.objects()]];
        Trace.Builder builder = new Trace.Builder(whole.name());
        for (int file = 0; file < whole.objects(); file++) {
            for (int block = first[file]; block < first[file + 1]; block++) {
                files[block] = file;
                builder.group(block, whole.group(file)).input(block, largest[file]);
            }
        }
        split(builder, bytesPerS);
        this.trace = builder.build(files.length, whole.jobs());
    }

    private int blocksOf(long bytes) {
        return (int) Math.max(1, (bytes + blockBytes - 1) / blockBytes);
    }

    private void split(Trace.Builder builder, long bytesPerS) {
        PriorityQueue<Next> underWay = new PriorityQueue<>();
        for (int row = 0; row < whole.rows(); row++) {
            while (!underWay.isEmpty() && underWay.peek().timeMs < whole.timeMs(row)) {
                step(builder, underWay, bytesPerS);
            }
            underWay.add(new Next(doneMs(row, blockEnd(row, 0), bytesPerS), row, 0));
        }
        while (!underWay.isEmpty()) {
            step(builder, underWay, bytesPerS);
        }
    }

    private long blockEnd(int row, long doneBytes) {
        return Math.min(whole.bytes(row), doneBytes + blockBytes);
    }

    private long doneMs(int row, long bytes, long bytesPerS) {
        return whole.timeMs(row) + Math.round(bytes * 1000.0 / bytesPerS);
    }

    private void step(Trace.Builder builder, PriorityQueue<Next> underWay, long bytesPerS) {
        Next next = underWay.remove();
        int row = next.row;
        int file = whole.object(row);
        long end = blockEnd(row, next.doneBytes);
        int block = first[file] + (int) (next.doneBytes / blockBytes);
        long stored = Math.max(0, Math.min(blockBytes, whole.size(row) - next.doneBytes));
        builder.add(next.timeMs, block, end - next.doneBytes, stored, whole.isWrite(row), whole.job(row));
        if (end < whole.bytes(row)) {
            underWay.add(new Next(doneMs(row, blockEnd(row, end), bytesPerS), row, end));
        }
    }

    /** The accesses to blocks, in order of time. */
    public Trace trace() {
        return trace;
    }

    @Override
    public long file(long block) {
        return files[(int) block];
    }

    @Override
    public int index(long block) {
        return (int) block - first[files[(int) block]];
    }

    @Override
    public int blocks(long file) {
        return first[(int) file + 1] - first[(int) file];
    }

    @Override
    public long block(long file, int index) {
        return first[(int) file] + index;
    }

    @Override
    public long sizeBytes(long block) {
        return Math.min(blockBytes, largest[(int) file(block)] - index(block) * blockBytes);
    }
}
