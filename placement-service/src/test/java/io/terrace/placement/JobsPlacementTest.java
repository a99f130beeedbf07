package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A policy that counts jobs is told how large the files are that blocks belong to. */
class JobsPlacementTest extends SteppedLoop {

    private static final StampedBlock PART = block(1, 2);
    private static final StampedBlock WHOLE = block(2, 2);

    /** By block. */
    private final List<String> told = new ArrayList<>();

    private void loop(String parameters) {
        Map<String, String> conf = Map.of(
                "terrace.placement.policy", "adaptive",
                "terrace.placement.policy.parameters", parameters,
                "terrace.placement.read-ahead.blocks", "0");
        placement = new PlacementEngine(
                PlacementSettings.from(conf::get),
                names,
                metricRegistry,
                (spec, tiers) -> new ForwardingPolicy(spec.make(tiers)) {
                    @Override
                    public void access(Access access, MoveRequests moveRequests) {
                        told.add(access.object() + ": " + access.inputBytes() / MB);
                        super.access(access, moveRequests);
                    }
                });
        placement.activate(8, OperatorState.initial());
        names.named.put(PART.id(), new Named(10, "/large", PathAnnotations.NONE, 40 * MB));
        name(WHOLE, 11, "/small");
        names.store(PART, one);
        names.store(WHOLE, one);
    }

    private void read(StampedBlock block) {
        one.reads(block, 1);
        beat(one);
    }

    @Test
    void jobs_filesOfBlocks_areLookedUpOnceAMinute() {
        loop("objective=jobs");
        read(PART);
        read(WHOLE);
        assertThat(told).containsExactly("1: 40", "2: 0");
        int looks = names.pathLooks;
        read(PART);
        assertThat(names.pathLooks).as("the policy knows it").isEqualTo(looks);
        nowMs += 60_000;
        read(PART);
        assertThat(names.pathLooks).isGreaterThan(looks);
        assertThat(told).containsExactly("1: 40", "2: 0", "1: 0", "1: 40");
    }

    @Test
    void objects_nothingIsLookedUp() {
        loop("objective=objects");
        read(PART);
        assertThat(told).containsExactly("1: 0");
        assertThat(names.pathLooks).isZero();
    }
}
