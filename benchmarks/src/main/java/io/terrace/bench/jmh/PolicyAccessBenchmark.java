package io.terrace.bench.jmh;

import io.terrace.bench.policy.PolicyVariant;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of one access, by policy and number of tracked objects: equal blocks, a quarter of which fit, skewed reads,
 * every move request carried out at once. Run with {@code -prof gc} to see that nothing is allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgs = "-Xmx4g")
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class PolicyAccessBenchmark implements MoveRequests {

    private static final long BLOCK_BYTES = 128L << 20;
    private static final int MOST_WISHES = 64;

    @Param({"adaptive", "lru", "s3-fifo", "decay-density", "idecider"})
    public String policyName = "adaptive";

    @Param({"100000", "10000000"})
    public int objects = 100_000;

    private final Access access = new Access();
    private final long[] wished = new long[MOST_WISHES];
    private final int[] tiers = new int[MOST_WISHES];
    private int wishes;
    private long nowMs;
    private long seed = 42;
    private PlacementPolicy policy = policy();

    private PlacementPolicy policy() {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", BLOCK_BYTES * (objects / 4), 1_000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        return PolicyCatalog.create(
                policyName,
                policyName.equals(PolicyVariant.OURS) ? Map.of("tracked", Integer.toString(objects)) : Map.of(),
                hierarchy);
    }

    /** Fills the memory with the popular quarter and makes every object known. */
    @Setup
    public void fill() {
        policy = policy();
        for (int object = 0; object < objects / 4; object++) {
            policy.moved(0, object, BLOCK_BYTES, 0, this);
        }
        for (int object = 0; object < objects; object++) {
            one(object);
        }
    }

    /** One skewed read. */
    @Benchmark
    public void access() {
        seed ^= seed << 13;
        seed ^= seed >>> 7;
        seed ^= seed << 17;
        double uniform = (seed >>> 11) * 0x1p-53;
        one((long) Math.min(objects - 1.0, Math.exp(uniform * Math.log(objects + 1.0)) - 1));
    }

    private void one(long object) {
        nowMs++;
        policy.access(access.read(nowMs, object, BLOCK_BYTES, BLOCK_BYTES, 1), this);
        for (int i = 0; i < wishes; i++) {
            policy.moved(nowMs, wished[i], BLOCK_BYTES, tiers[i], this);
        }
        wishes = 0;
    }

    @Override
    public void place(long object, long sizeBytes, int fromTier, int toTier) {
        wished[wishes] = object;
        tiers[wishes++] = toTier;
    }
}
