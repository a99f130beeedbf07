package io.terrace.policy.replay;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/**
 * Accesses in order of time, in columns. Objects are numbered from 0 in the order in which they first occur, jobs too;
 * rows without a job have {@link io.terrace.policy.api.Access#NO_JOB}.
 */
public final class Trace {

    private final String name;
    private final int rows;
    private final int objects;
    private final int jobs;
    private final long[] timesMs;
    private final int[] ids;
    private final long[] bytes;
    private final long[] sizes;
    private final boolean[] writes;
    private final int[] jobIds;
    private final int[] groups;
    private final long[] inputs;

    private Trace(Builder from, int objects, int jobs) {
        name = from.name;
        rows = from.rows;
        this.objects = objects;
        this.jobs = jobs;
        timesMs = Arrays.copyOf(from.timesMs, rows);
        ids = Arrays.copyOf(from.ids, rows);
        bytes = Arrays.copyOf(from.bytes, rows);
        sizes = Arrays.copyOf(from.sizes, rows);
        writes = Arrays.copyOf(from.writes, rows);
        jobIds = Arrays.copyOf(from.jobIds, rows);
        groups = Arrays.copyOf(from.groups, objects);
        inputs = from.inputs.length == 0 ? from.inputs : Arrays.copyOf(from.inputs, objects);
    }

    public String name() {
        return name;
    }

    public int rows() {
        return rows;
    }

    public int objects() {
        return objects;
    }

    public int jobs() {
        return jobs;
    }

    public long timeMs(int row) {
        return timesMs[row];
    }

    public int object(int row) {
        return ids[row];
    }

    public long bytes(int row) {
        return bytes[row];
    }

    public long size(int row) {
        return sizes[row];
    }

    public boolean isWrite(int row) {
        return writes[row];
    }

    public int job(int row) {
        return jobIds[row];
    }

    /** Number of the objects that one is like by its name; 0 where nobody said. */
    public int group(int object) {
        return groups[object];
    }

    /** Size of all that is read together with an object, such as the file that a block is of; 0 where nobody said. */
    public long inputBytes(int object) {
        return inputs.length == 0 ? 0 : inputs[object];
    }

    /** Summed size of the distinct objects, each at its largest. */
    public long footprintBytes() {
        return footprint(true);
    }

    /** As {@link #footprintBytes}, of the objects that are read at least once. */
    public long readFootprintBytes() {
        return footprint(false);
    }

    private long footprint(boolean withWritten) {
        long[] largest = new long[objects];
        for (int row = 0; row < rows; row++) {
            if (withWritten || !writes[row]) {
                largest[ids[row]] = Math.max(largest[ids[row]], sizes[row]);
            }
        }
        return Arrays.stream(largest).sum();
    }

    /** The accesses before that time, with the same numbers of objects. */
    public Trace until(long timeMs) {
        Builder builder = new Builder(name);
        for (int row = 0; row < rows && timesMs[row] < timeMs; row++) {
            builder.group(ids[row], groups[ids[row]]);
            if (inputs.length > 0) {
                builder.input(ids[row], inputs[ids[row]]);
            }
            builder.add(timesMs[row], ids[row], bytes[row], sizes[row], writes[row], jobIds[row]);
        }
        return builder.build();
    }

    /**
     * The same accesses, each split over the blocks it touches: a read or write of <i>n</i> bytes touches the first
     * <i>n</i> bytes of the object.
     */
    public Trace inBlocks(long blockBytes) {
        if (blockBytes <= 0) {
            throw new IllegalArgumentException("block size " + blockBytes + " must be above 0");
        }
        Builder builder = new Builder(name);
        Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();
        numbers.defaultReturnValue(-1);
        for (int row = 0; row < rows; row++) {
            long left = Math.max(1, bytes[row]);
            for (int block = 0; left > 0; block++) {
                long start = block * blockBytes;
                long key = (long) ids[row] << 32 | block;
                int number = numbers.get(key);
                if (number < 0) {
                    number = numbers.size();
                    numbers.put(key, number);
                    builder.group(number, groups[ids[row]]);
                }
                builder.input(number, sizes[row]);
                long part = Math.min(left, blockBytes);
                long stored = Math.max(0, Math.min(blockBytes, sizes[row] - start));
                builder.add(timesMs[row], number, Math.min(part, bytes[row]), stored, writes[row], jobIds[row]);
                left -= blockBytes;
            }
        }
        return builder.build(numbers.size(), jobs);
    }

    /** Gathers rows; used by readers of logs and by tests that make their own traces. */
    public static final class Builder {

        private final String name;
        private int rows;
        private long[] timesMs = new long[1024];
        private int[] ids = new int[1024];
        private long[] bytes = new long[1024];
        private long[] sizes = new long[1024];
        private boolean[] writes = new boolean[1024];
        private int[] jobIds = new int[1024];
        private int[] groups = {};
        private long[] inputs = {};

        public Builder(String name) {
            this.name = name;
        }

        /**
         * Adds a row.
         *
         * @param timeMs not before the last row's
         * @param object number of the object, 0 or above
         * @param job number of the job, or -1
         */
        public Builder add(long timeMs, int object, long bytesMoved, long sizeBytes, boolean write, int job) {
            if (rows > 0 && timeMs < timesMs[rows - 1]) {
                throw new IllegalArgumentException(
                        "trace " + name + ": row at " + timeMs + " ms comes after one at " + timesMs[rows - 1] + " ms");
            }
            if (rows == ids.length) {
                int length = rows * 2;
                timesMs = Arrays.copyOf(timesMs, length);
                ids = Arrays.copyOf(ids, length);
                bytes = Arrays.copyOf(bytes, length);
                sizes = Arrays.copyOf(sizes, length);
                writes = Arrays.copyOf(writes, length);
                jobIds = Arrays.copyOf(jobIds, length);
            }
            timesMs[rows] = timeMs;
            ids[rows] = object;
            bytes[rows] = bytesMoved;
            sizes[rows] = sizeBytes;
            writes[rows] = write;
            jobIds[rows++] = job;
            return this;
        }

        /** Says that an object is like those of the same number. */
        public Builder group(int object, int group) {
            if (object >= groups.length) {
                groups = Arrays.copyOf(groups, Math.max(1024, object * 2));
            }
            groups[object] = group;
            return this;
        }

        /** Says how large all that is read together with an object is; the largest counts. */
        public Builder input(int object, long bytes) {
            if (object >= inputs.length) {
                inputs = Arrays.copyOf(inputs, Math.max(1024, object * 2));
            }
            inputs[object] = Math.max(inputs[object], bytes);
            return this;
        }

        public int rows() {
            return rows;
        }

        /** Builds the trace with the numbers of objects and jobs found in its rows. */
        public Trace build() {
            int mostObject = -1;
            int mostJob = -1;
            for (int row = 0; row < rows; row++) {
                mostObject = Math.max(mostObject, ids[row]);
                mostJob = Math.max(mostJob, jobIds[row]);
            }
            return build(mostObject + 1, mostJob + 1);
        }

        Trace build(int objects, int jobs) {
            return new Trace(this, objects, jobs);
        }
    }
}
