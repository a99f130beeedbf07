package io.terrace.bench.policy;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;

/**
 * What an access costs a policy that tracks very many objects: equal blocks, a quarter of which fit the memory, read
 * with the skew of a Zipf law of exponent near 1, on one thread. Every move request is carried out at once. The popular quarter
 * stands in memory from the beginning and every block is read once; then the skewed reads begin, of which the second half
 * is measured. The memory is full all the time, so no table has to grow any more.
 *
 * @param ns processor time of the thread per access, mean; wall-clock time where the JVM does not tell it
 * @param allocatedBytes bytes allocated per access, mean; below 0 when the JVM does not tell
 * @param bytesPerObject memory held per tracked object
 */
record AccessCost(double ns, double allocatedBytes, double bytesPerObject) {

    private static final long BLOCK_BYTES = 128L << 20;
    private static final int WARM_ACCESSES = 3_000_000;
    private static final int TIMED_ACCESSES = 3_000_000;

    static AccessCost measure(String policyName, int objects) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", BLOCK_BYTES * (objects / 4), 1_000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        boolean bounded = policyName.equals(PolicyVariant.OURS);
        PlacementPolicy policy = PolicyCatalog.create(
                policyName, bounded ? Map.of("tracked", Integer.toString(objects)) : Map.of(), hierarchy);
        Reads reads = new Reads(policy, objects);
        for (int object = 0; object < objects / 4; object++) {
            policy.moved(0, object, BLOCK_BYTES, 0, reads);
        }
        for (int object = 0; object < objects; object++) {
            reads.one(object);
        }
        reads.skewed(WARM_ACCESSES);
        long allocatedBefore = allocated();
        long startNs = processorNs();
        reads.skewed(TIMED_ACCESSES);
        double ns = (double) (processorNs() - startNs) / TIMED_ACCESSES;
        double bytes = allocatedBefore < 0 ? -1 : (double) (allocated() - allocatedBefore) / TIMED_ACCESSES;
        return new AccessCost(ns, bytes, (double) policy.memoryBytes() / policy.trackedObjects());
    }

    private static long processorNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : System.nanoTime();
    }

    private static long allocated() {
        return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
                ? threads.getCurrentThreadAllocatedBytes()
                : -1;
    }

    /** Makes the accesses and carries out the move requests. */
    private static final class Reads implements MoveRequests {
        private static final int MOST_WISHES = 64;

        private final Access access = new Access();
        private final PlacementPolicy policy;
        private final int objects;
        private final double logObjects;
        private final long[] wished = new long[MOST_WISHES];
        private final int[] tiers = new int[MOST_WISHES];
        private int wishes;
        private long nowMs;
        private long seed = 42;

        Reads(PlacementPolicy policy, int objects) {
            this.policy = policy;
            this.objects = objects;
            logObjects = Math.log(objects + 1.0);
        }

        void one(long object) {
            nowMs++;
            policy.access(access.read(nowMs, object, BLOCK_BYTES, BLOCK_BYTES, 1), this);
            for (int i = 0; i < wishes; i++) {
                policy.moved(nowMs, wished[i], BLOCK_BYTES, tiers[i], this);
            }
            wishes = 0;
        }

        void skewed(int count) {
            for (int i = 0; i < count; i++) {
                seed ^= seed << 13;
                seed ^= seed >>> 7;
                seed ^= seed << 17;
                double uniform = (seed >>> 11) * 0x1p-53;
                one((long) Math.min(objects - 1.0, Math.exp(uniform * logObjects) - 1));
            }
        }

        @Override
        public void place(long object, long sizeBytes, int fromTier, int toTier) {
            wished[wishes] = object;
            tiers[wishes++] = toTier;
        }
    }
}
