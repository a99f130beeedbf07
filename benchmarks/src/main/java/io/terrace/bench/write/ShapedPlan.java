package io.terrace.bench.write;

import java.util.List;

/**
 * What is written over shaped links.
 *
 * @param rounds of medians
 * @param retainedBytes {@code terrace.client.write.retained}
 */
public record ShapedPlan(long fileBytes, long blockBytes, int rounds, long retainedBytes, List<Case> cases) {
    private static final long RETAINED_BYTES = 64L << 20;

    /** A client retains no more than a tenth of its heap. */
    private static final int HEAP_TIMES = 11;

    private static final int MBIT = 216;
    private static final int FAST_MBIT = 376;

    /** @param target the ratio that is wanted */
    public record Case(String id, ShapedLinks links, double target) {}

    static final Case EQUAL = new Case("write.equal", new ShapedLinks(MBIT, MBIT, MBIT, 0), 0.97);
    private static final Case SLOW3_50 = new Case("write.slow3.50", new ShapedLinks(MBIT, 50, MBIT, 0), 2);
    private static final Case RACKS_50 = new Case("write.racks.50", new ShapedLinks(MBIT, MBIT, MBIT, 50), 2);

    /** Almost an hour. */
    public static ShapedPlan full() {
        return new ShapedPlan(
                1L << 30,
                64L << 20,
                3,
                RETAINED_BYTES,
                List.of(
                        EQUAL,
                        SLOW3_50,
                        new Case("write.slow3.150", new ShapedLinks(MBIT, 150, MBIT, 0), 1.2),
                        RACKS_50,
                        new Case("write.racks.100", new ShapedLinks(MBIT, MBIT, MBIT, 100), 1.5),
                        new Case("write.racks.150", new ShapedLinks(MBIT, MBIT, MBIT, 150), 1.2),
                        new Case("write.mixed", new ShapedLinks(FAST_MBIT, MBIT, FAST_MBIT, 0), 1.3)));
    }

    /** Minutes; blocks as small as the file, so that it has as many. */
    public static ShapedPlan quick() {
        return new ShapedPlan(128L << 20, 8L << 20, 1, RETAINED_BYTES, List.of(EQUAL, SLOW3_50, RACKS_50));
    }

    /** The same with another length of files; blocks shrink with it. */
    public ShapedPlan withFileBytes(long bytes) {
        long block = Math.max(1 << 20, bytes / (fileBytes / blockBytes) / 512 * 512);
        return new ShapedPlan(bytes, block, rounds, retainedBytes, cases);
    }

    public ShapedPlan withRounds(int other) {
        return new ShapedPlan(fileBytes, blockBytes, other, retainedBytes, cases);
    }

    /** The same with more or less that the client may retain. */
    public ShapedPlan withRetainedBytes(long bytes) {
        return new ShapedPlan(fileBytes, blockBytes, rounds, bytes, cases);
    }

    /** What the client's heap has to be for that. */
    public long heapBytes() {
        return retainedBytes * HEAP_TIMES;
    }

    /** The name of a figure, with what is retained where that is not the default. */
    String id(Case one) {
        return one.id() + (retainedBytes == RETAINED_BYTES ? "" : ".retained" + (retainedBytes >> 20) + "m");
    }

    /**
     * The same with some of the cases.
     *
     * @param ids all when there are none
     */
    public ShapedPlan withCases(List<String> ids) {
        List<String> known = cases.stream().map(Case::id).toList();
        if (!known.containsAll(ids)) {
            throw new IllegalArgumentException("no such case among " + ids + ": there are " + known);
        }
        return ids.isEmpty()
                ? this
                : new ShapedPlan(
                        fileBytes,
                        blockBytes,
                        rounds,
                        retainedBytes,
                        cases.stream().filter(one -> ids.contains(one.id())).toList());
    }
}
