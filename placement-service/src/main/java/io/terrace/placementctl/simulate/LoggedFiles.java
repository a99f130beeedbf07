package io.terrace.placementctl.simulate;

import io.terrace.policy.firstread.FileBlocks;
import io.terrace.policy.replay.Trace;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;

/**
 * Which blocks of the log of accesses are of which file. HDFS numbers the blocks of a file upwards, so they are in the order of
 * their ids. Blocks that nobody read or wrote in that time are not in the log, so they seem not to be there.
 */
final class LoggedFiles implements FileBlocks {

    private final long[] sizes;
    /** By object; -1 where it is not known. */
    private final int[] files;

    private final int[] indexes;
    /** Objects, those of a file in a row. */
    private final int[] order;
    /** By file, where its objects begin, and where all end. */
    private final int[] starts;

    /** Gathers what is known of blocks. */
    static final class Builder {
        private final Trace trace;
        private final long[] hashes;
        private final long[] ids;

        Builder(Trace trace) {
            this.trace = trace;
            this.hashes = new long[trace.objects()];
            this.ids = new long[trace.objects()];
        }

        /** @param hash of the path of its file, not 0 */
        void add(int object, long blockId, long hash) {
            hashes[object] = hash;
            ids[object] = blockId;
        }

        LoggedFiles build() {
            return new LoggedFiles(this);
        }
    }

    private LoggedFiles(Builder from) {
        int objects = from.hashes.length;
        sizes = new long[objects];
        for (int row = 0; row < from.trace.rows(); row++) {
            sizes[from.trace.object(row)] = from.trace.size(row);
        }
        files = new int[objects];
        Arrays.fill(files, -1);
        indexes = new int[objects];
        order = new int[objects];
        int known = 0;
        for (int object = 0; object < objects; object++) {
            if (from.hashes[object] != 0) {
                order[known++] = object;
            }
        }
        IntArrays.quickSort(
                order,
                0,
                known,
                (one, other) -> from.hashes[one] != from.hashes[other]
                        ? Long.compare(from.hashes[one], from.hashes[other])
                        : Long.compare(from.ids[one], from.ids[other]));
        int[] begins = new int[known + 1];
        int count = 0;
        for (int at = 0; at < known; at++) {
            if (at == 0 || from.hashes[order[at]] != from.hashes[order[at - 1]]) {
                begins[count++] = at;
            }
            files[order[at]] = count - 1;
            indexes[order[at]] = at - begins[count - 1];
        }
        begins[count] = known;
        starts = Arrays.copyOf(begins, count + 1);
    }

    @Override
    public long file(long block) {
        return files[(int) block];
    }

    @Override
    public int index(long block) {
        return indexes[(int) block];
    }

    @Override
    public int blocks(long file) {
        return starts[(int) file + 1] - starts[(int) file];
    }

    @Override
    public long block(long file, int index) {
        return order[starts[(int) file] + index];
    }

    @Override
    public long sizeBytes(long block) {
        return sizes[(int) block];
    }
}
