package io.terrace.placement.policy;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.TierLayout;
import io.terrace.policy.api.PlacementPolicy;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The policy in force, and the only place where instances of it are made. Whatever a policy throws while it is made, the
 * loop goes on: with the policy that was in force before, or, where that fails as well, with {@code idecider}, which
 * needs no library. Outlives the epochs. Owned by the loop's thread.
 */
public final class ActivePolicy {

    private static final PolicyChoice LAST_RESORT =
            new PolicyChoice(PolicySpec.plain("idecider", Map.of("remembered", "100000")), Source.FALLBACK, 0);

    /** What a policy throws comes from the policy itself or from what it called. */
    private static final int FRAMES_BLAMED = 12;

    private final PolicyFactory maker;
    private final MetricRegistry metricRegistry;
    private PolicyChoice inForce;
    private PolicyChoice lastGood = LAST_RESORT;
    private @Nullable String problem;
    private @Nullable PolicySpec distrusted;

    public ActivePolicy(PolicyChoice first, PolicyFactory maker, MetricRegistry metricRegistry) {
        this.inForce = first;
        this.maker = maker;
        this.metricRegistry = metricRegistry;
    }

    public PolicyFactory maker() {
        return maker;
    }

    public PolicyChoice inForce() {
        return inForce;
    }

    public PolicySpec spec() {
        return inForce.spec();
    }

    /** Why what is wanted is not in force; null when it is. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** An instance of the policy in force, or of the one that has to take its place from now on. */
    public PlacementPolicy make() {
        try {
            PlacementPolicy made =
                    maker.make(inForce.spec(), TierLayout.memoryOverBase().hierarchy());
            if (problem == null) {
                lastGood = inForce;
            }
            return made;
        } catch (Throwable e) {
            refuse(inForce, e);
            inForce = inForce == lastGood ? LAST_RESORT : lastGood;
        }
        try {
            return maker.make(inForce.spec(), TierLayout.memoryOverBase().hierarchy());
        } catch (Throwable e) {
            inForce = LAST_RESORT;
            return maker.make(LAST_RESORT.spec(), TierLayout.memoryOverBase().hierarchy());
        }
    }

    /** An instance of a policy that may come into force; null when it cannot be made, for {@link #problem}. */
    @Nullable
    PlacementPolicy tryOut(PolicyChoice wanted) {
        if (wanted.spec().equals(distrusted)) {
            return null;
        }
        try {
            return maker.make(wanted.spec(), TierLayout.memoryOverBase().hierarchy());
        } catch (Throwable e) {
            refuse(wanted, e);
            return null;
        }
    }

    private void refuse(PolicyChoice wanted, Throwable e) {
        metricRegistry.increment(Metric.PLACEMENT_POLICY_REFUSED);
        problem = "policy " + wanted.spec().policy() + " cannot be made: " + e;
    }

    /**
     * The policy in force broke while it decided: from the next epoch on another one takes its place, until a different one
     * is wanted.
     *
     * @return whether it was the policy that broke, and there is another one
     */
    public boolean distrust(Throwable e) {
        boolean ofPolicy = Stream.of(e.getStackTrace()).limit(FRAMES_BLAMED).anyMatch(frame -> frame.getClassName()
                .startsWith("io.terrace.policy."));
        if (!ofPolicy || inForce.source() == Source.FALLBACK) {
            return false;
        }
        failed(e);
        return true;
    }

    /** The policy in force is of no use; the one before it is in force, and this one is not taken again. */
    void failed(Throwable e) {
        metricRegistry.increment(Metric.PLACEMENT_POLICY_REFUSED);
        problem = "policy " + inForce.spec().policy() + " failed: " + e;
        distrusted = inForce.spec();
        inForce = lastGood.spec().equals(distrusted) ? LAST_RESORT : lastGood;
    }

    void enter(PolicyChoice wanted) {
        if (!wanted.spec().equals(inForce.spec())) {
            metricRegistry.increment(Metric.PLACEMENT_POLICY_SWITCHES);
        }
        lastGood = inForce;
        inForce = wanted;
        problem = null;
        distrusted = null;
    }
}
