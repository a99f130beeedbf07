package io.terrace.placementctl.simulate;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.replay.Trace;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * What several sizes of memory would have served of the same accesses, by one simulation for each: the curve from which the
 * size is chosen.
 *
 * @param points with sizes that grow
 */
public record MemorySizes(List<Point> points) {

    /** The share of what the largest size serves that is enough for {@link #enough}. */
    public static final double ENOUGH = 0.9;

    private static final int HALVINGS = 6;
    private static final int MOST_HALVINGS = 14;
    private static final long MEGABYTE = 1 << 20;
    private static final int STEPS = 64;

    /**
     * One size.
     *
     * @param memoryBytes of all DataNodes together
     */
    public record Point(long memoryBytes, PolicyReplay replay) {

        /** Bytes that memory served. */
        double servedBytes() {
            return replay.outcome().tierBytes()[0];
        }
    }

    public MemorySizes {
        points = List.copyOf(points);
    }

    /**
     * Sizes from all bytes that are accessed down to one 64th of that, each half of the one before, in round figures.
     *
     * @param more sizes that are to be among them
     */
    public static SortedSet<Long> sizes(long footprintBytes, Collection<Long> more) {
        SortedSet<Long> sizes = new TreeSet<>(more);
        for (int halved = 0; halved <= HALVINGS; halved++) {
            sizes.add(rounded(footprintBytes >> halved));
        }
        return sizes;
    }

    /** Upwards, by 3 % at most and to whole megabytes. */
    private static long rounded(long bytes) {
        long step = Math.max(MEGABYTE, Long.highestOneBit(Math.max(1, bytes / STEPS)) * 2);
        return (bytes + step - 1) / step * step;
    }

    /**
     * Simulates a policy with each size, and with smaller ones until one is not enough.
     *
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     */
    public static MemorySizes simulate(
            SortedSet<Long> sizes,
            PolicySpec spec,
            RuleAssignments rules,
            Trace accesses,
            long moveBytesPerS,
            int dataNodes) {
        LongFunction<Point> of =
                size -> new Point(size, PolicyReplay.of("size", spec, rules, accesses, size, moveBytesPerS, dataNodes));
        Deque<Point> points = new ArrayDeque<>();
        sizes.forEach(size -> points.addLast(of.apply(size)));
        MemorySizes all = new MemorySizes(List.copyOf(points));
        for (int more = HALVINGS; more < MOST_HALVINGS && all.enough().equals(points.getFirst()); more++) {
            long half = rounded(points.getFirst().memoryBytes / 2);
            if (half >= points.getFirst().memoryBytes) {
                break;
            }
            points.addFirst(of.apply(half));
            all = new MemorySizes(List.copyOf(points));
        }
        return all;
    }

    /** The smallest size that serves at least {@value #ENOUGH} of the bytes that any of them serves. */
    public Point enough() {
        double most = points.stream().mapToDouble(Point::servedBytes).max().orElseThrow();
        return points.stream()
                .filter(point -> point.servedBytes() >= ENOUGH * most)
                .findFirst()
                .orElseThrow();
    }
}
