package io.terrace.bench.policy;

import io.terrace.policy.replay.Trace;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Generated workloads of different kinds, to which no constant was fitted, and that are not among the traces used for
 * tuning. Sizes in bytes, times in milliseconds.
 */
final class SyntheticTraces {

    private static final int ROWS = 60_000;
    private static final int OBJECTS = 6_000;
    private static final long BLOCK = 8L << 20;
    private static final int TABLE_BLOCKS = 1_000;
    private static final int SCANNED_FILES = 250;
    private static final int BLOCKS_OF_FILE = 4;
    private static final int SMALL_FILES = 4_000;
    private static final long LARGE = 64L << 20;
    private static final long LOOK_UP = 16L << 10;
    private static final long SECOND = 1000;
    private static final long HOUR = 3_600 * SECOND;

    private final long seed;

    private SyntheticTraces(long seed) {
        this.seed = seed;
    }

    /** All kinds. */
    static List<Trace> all(long seed) {
        SyntheticTraces kinds = new SyntheticTraces(seed);
        return List.of(
                kinds.shiftingZipf(),
                kinds.scansAndHotSet(),
                kinds.loops(),
                kinds.diurnal(),
                kinds.burstyJobs(),
                kinds.uniform(),
                kinds.writeHeavy(),
                kinds.tinyAndHuge());
    }

    /** Where the time of the last read says nothing, and where all history is shorter than what is to be known. */
    static List<Trace> harder(long seed) {
        SyntheticTraces kinds = new SyntheticTraces(seed);
        return List.of(kinds.steady(), kinds.steadyOverWeeks(), kinds.longLoop());
    }

    /** Blocks of a table that are read at random, files that are scanned, and small files that are looked up, at once. */
    static List<Trace> patterns(long seed) {
        SyntheticTraces kinds = new SyntheticTraces(seed);
        return List.of(kinds.tableAndScans(7), kinds.tableAndScans(70), kinds.tableAndScans(300));
    }

    /** So many random reads of 16 KB for each block that is scanned, and a small file read as a whole for ten of them. */
    private Trace tableAndScans(int randomReads) {
        Random random = new Random(seed + 10 + randomReads);
        Skew table = new Skew(TABLE_BLOCKS, 0.9, random);
        Skew scanned = new Skew(SCANNED_FILES, 0.9, random);
        Skew small = new Skew(SMALL_FILES, 0.9, random);
        int smallFrom = TABLE_BLOCKS + SCANNED_FILES * BLOCKS_OF_FILE;
        Trace.Builder rows = new Trace.Builder("table-and-scans-" + randomReads);
        int block = BLOCKS_OF_FILE;
        int file = 0;
        for (int i = 0; i < 4 * ROWS; i++) {
            long nowMs = i * SECOND / 4;
            if (i % (randomReads + 1) == randomReads) {
                file = block == BLOCKS_OF_FILE ? scanned.draw() : file;
                block = block == BLOCKS_OF_FILE ? 0 : block;
                read(rows, nowMs, TABLE_BLOCKS + file * BLOCKS_OF_FILE + block++, LARGE, -1);
            } else if (i % 10 == 9) {
                read(rows, nowMs, smallFrom + small.draw(), BLOCK / 8, -1);
            } else {
                rows.add(nowMs, table.draw(), LOOK_UP, LARGE, false, -1);
            }
        }
        return numbered(rows.build());
    }

    /** Popularity drifts: every thousand reads a tenth of the ranks go to other objects. */
    private Trace shiftingZipf() {
        Random random = new Random(seed);
        Skew skew = new Skew(OBJECTS, 1.0, random);
        Trace.Builder rows = new Trace.Builder("shifting-zipf");
        for (int i = 0; i < ROWS; i++) {
            if (i % 1000 == 999) {
                skew.deal(OBJECTS / 10);
            }
            read(rows, i * SECOND, skew.draw(), BLOCK, -1);
        }
        return rows.build();
    }

    /** A small hot set while scans of everything else go by, two thirds of the time. */
    private Trace scansAndHotSet() {
        Random random = new Random(seed + 1);
        Trace.Builder rows = new Trace.Builder("scans-and-hot-set");
        int next = 0;
        for (int i = 0; i < ROWS; i++) {
            boolean scanning = i % 3000 < 2000;
            int object = scanning && random.nextInt(3) > 0
                    ? 200 + next++ % (OBJECTS * 4)
                    : (int) (200 * random.nextDouble() * random.nextDouble());
            read(rows, i * SECOND / 2, object, BLOCK, -1);
        }
        return rows.build();
    }

    /** Four loops of different lengths and speeds. */
    private Trace loops() {
        Trace.Builder rows = new Trace.Builder("loops");
        int[] lengths = {50, 400, 1500, 4000};
        int[] shares = {1, 2, 3, 4};
        int[] at = new int[lengths.length];
        Random random = new Random(seed + 2);
        for (int i = 0; i < ROWS; i++) {
            int dice = random.nextInt(10);
            int loop = 0;
            for (int sum = shares[0]; dice >= sum; sum += shares[loop]) {
                loop++;
            }
            read(rows, i * SECOND, loop * 10_000 + at[loop]++ % lengths[loop], BLOCK, -1);
        }
        return numbered(rows.build());
    }

    /** Two sets of objects, one read by day and one by night, for a week. */
    private Trace diurnal() {
        Random random = new Random(seed + 3);
        Skew day = new Skew(OBJECTS / 2, 0.9, random);
        Skew night = new Skew(OBJECTS / 2, 0.6, random);
        Trace.Builder rows = new Trace.Builder("diurnal");
        long stepMs = 7 * 24 * HOUR / ROWS;
        for (int i = 0; i < ROWS; i++) {
            boolean isDay = i * stepMs % (24 * HOUR) < 14 * HOUR;
            read(rows, i * stepMs, isDay ? day.draw() : OBJECTS / 2 + night.draw(), BLOCK, -1);
        }
        return rows.build();
    }

    /** Jobs that read a run of blocks of one file at once; some files are read again within minutes, most never. */
    private Trace burstyJobs() {
        Random random = new Random(seed + 4);
        Trace.Builder rows = new Trace.Builder("bursty-jobs");
        int files = 0;
        int[] recent = new int[32];
        long nowMs = 0;
        for (int job = 0; rows.rows() < ROWS; job++) {
            nowMs += (long) (-Math.log(1 - random.nextDouble()) * 20 * SECOND);
            boolean again = files > recent.length && random.nextInt(5) < 2;
            int file = again ? recent[random.nextInt(recent.length)] : files++;
            recent[file % recent.length] = file;
            int blocks = 1 + (file * 7) % 40;
            for (int block = 0; block < blocks; block++) {
                read(rows, nowMs, file * 64 + block, BLOCK, job);
                nowMs += 20;
            }
        }
        return numbered(rows.build());
    }

    /** Uniform: every object is equally likely. */
    private Trace uniform() {
        Random random = new Random(seed + 5);
        Trace.Builder rows = new Trace.Builder("uniform");
        for (int i = 0; i < ROWS; i++) {
            read(rows, i * SECOND, random.nextInt(OBJECTS), BLOCK, -1);
        }
        return rows.build();
    }

    /** Two of three accesses write; some of what is written grows and is read soon after. */
    private Trace writeHeavy() {
        Random random = new Random(seed + 6);
        Skew skew = new Skew(OBJECTS, 0.8, random);
        long[] sizes = new long[OBJECTS];
        Arrays.fill(sizes, BLOCK / 8);
        Trace.Builder rows = new Trace.Builder("write-heavy");
        for (int i = 0; i < ROWS; i++) {
            int object = skew.draw();
            if (i % 3 > 0) {
                sizes[object] = Math.min(16 * BLOCK, sizes[object] + BLOCK / 8);
                rows.add(i * SECOND, object, BLOCK / 8, sizes[object], true, -1);
            } else {
                read(rows, i * SECOND, object, sizes[object], -1);
            }
        }
        return rows.build();
    }

    /** Sizes from 1 KB to 16 GB, most of them small, the popularity independent of the size. */
    private Trace tinyAndHuge() {
        Random random = new Random(seed + 7);
        Skew skew = new Skew(OBJECTS, 0.9, random);
        long[] sizes = new long[OBJECTS];
        for (int object = 0; object < OBJECTS; object++) {
            sizes[object] = (long) (1024 * Math.pow(2, 24 * Math.pow(random.nextDouble(), 2)));
        }
        Trace.Builder rows = new Trace.Builder("tiny-and-huge");
        for (int i = 0; i < ROWS; i++) {
            int object = skew.draw();
            read(rows, i * SECOND, object, sizes[object], -1);
        }
        return rows.build();
    }

    /** Popularity never changes, so frequency says all, and the time of the last read nothing. */
    private Trace steady() {
        Random random = new Random(seed + 8);
        Skew skew = new Skew(OBJECTS, 0.8, random);
        Trace.Builder rows = new Trace.Builder("steady");
        for (int i = 0; i < ROWS; i++) {
            read(rows, i * SECOND, skew.draw(), BLOCK, -1);
        }
        return rows.build();
    }

    /** The same over weeks, in objects of different sizes: counts that fade with time forget what reads say. */
    private Trace steadyOverWeeks() {
        Random random = new Random(seed + 9);
        Skew skew = new Skew(OBJECTS, 1.0, random);
        Trace.Builder rows = new Trace.Builder("steady-over-weeks");
        long stepMs = 28 * 24 * HOUR / ROWS;
        for (int i = 0; i < ROWS; i++) {
            int object = skew.draw();
            read(rows, i * stepMs, object, BLOCK >> object % 4, -1);
        }
        return rows.build();
    }

    /** One loop over all, which begins anew only after eight days. */
    private Trace longLoop() {
        Trace.Builder rows = new Trace.Builder("long-loop");
        for (int i = 0; i < ROWS; i++) {
            read(rows, i * 60L * SECOND, i % (2 * OBJECTS), BLOCK, -1);
        }
        return rows.build();
    }

    private static void read(Trace.Builder rows, long nowMs, int object, long size, int job) {
        rows.add(nowMs, object, size, size, false, job);
    }

    /** The same trace with objects numbered without gaps. */
    private static Trace numbered(Trace trace) {
        int[] numbers = new int[trace.objects()];
        Arrays.fill(numbers, -1);
        int next = 0;
        Trace.Builder rows = new Trace.Builder(trace.name());
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            if (numbers[object] < 0) {
                numbers[object] = next++;
            }
            rows.add(
                    trace.timeMs(row),
                    numbers[object],
                    trace.bytes(row),
                    trace.size(row),
                    trace.isWrite(row),
                    trace.job(row));
        }
        return rows.build();
    }

    /** Draws objects by Zipf's law, with ranks assigned at random. */
    private static final class Skew {
        private final Random random;
        private final int[] byRank;
        private final double[] cumulative;

        Skew(int objects, double exponent, Random random) {
            this.random = random;
            byRank = new int[objects];
            cumulative = new double[objects];
            double sum = 0;
            for (int rank = 0; rank < objects; rank++) {
                sum += Math.pow(rank + 1, -exponent);
                cumulative[rank] = sum;
                byRank[rank] = rank;
            }
            deal(objects);
        }

        /** Assigns so many ranks to other objects. */
        void deal(int ranks) {
            for (int i = 0; i < ranks; i++) {
                int one = random.nextInt(byRank.length);
                int other = random.nextInt(byRank.length);
                int object = byRank[one];
                byRank[one] = byRank[other];
                byRank[other] = object;
            }
        }

        int draw() {
            int at = Arrays.binarySearch(cumulative, random.nextDouble() * cumulative[cumulative.length - 1]);
            return byRank[Math.min(at < 0 ? -at - 1 : at, byRank.length - 1)];
        }
    }
}
