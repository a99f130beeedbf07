package io.terrace.bench.simulation.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.simulation.kernel.EventLog;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.placement.policyfile.PoolSpec;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SeedPolicyTest {
    @Test
    void ownPolicy_isEachOfTheCatalog_andAdaptiveWithEachObjective() {
        Set<String> names = new TreeSet<>();
        Set<String> objectives = new TreeSet<>();
        for (long seed = 1; seed <= 1_000; seed++) {
            var spec = SeedPolicy.of(new Scheduler(seed, new EventLog(false)), true)
                    .spec();
            names.add(spec.policy());
            if (spec.policy().equals("adaptive")) {
                objectives.add(spec.parameters().get("objective"));
            }
        }

        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(
                        PolicyCatalog.kinds().stream().map(PolicyKind::name).toList());
        assertThat(objectives).containsExactly("bytes", "jobs", "objects", "tiered", "time");
    }

    @Test
    void ownPolicy_leavesTheRestOfTheFileAsItIs() {
        SeedPolicy usual = SeedPolicy.of(new Scheduler(5, new EventLog(false)), false);
        SeedPolicy own = SeedPolicy.of(new Scheduler(5, new EventLog(false)), true);

        assertThat(own.spec().rules()).isEqualTo(usual.spec().rules());
        assertThat(own.spec().pools())
                .extracting(PoolSpec::share)
                .isEqualTo(usual.spec().pools().stream().map(PoolSpec::share).toList());
        assertThat(own.sample()).isEqualTo(usual.sample());
    }
}
