package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PolicyDrawTest {
    @Test
    void everyFile_isRead_andKeepsTheReplicasOfEachClientInOtherTiers() throws PolicyFileException {
        Set<TierRange> ranges = new HashSet<>();
        for (long draw = 1; draw <= 500; draw++) {
            PolicySpec spec = PolicyFile.read("draw " + draw, PolicyDraw.text(draw));
            List<PathRule> rules = spec.rules();
            PathRule first = rules.get(rules.size() - 2);
            PathRule second = rules.get(rules.size() - 1);

            assertThat(first.tiers()).isNotNull().isNotEqualTo(second.tiers());
            assertThat(second.tiers()).isNotNull();
            rules.stream().map(PathRule::tiers).forEach(ranges::add);
        }
        assertThat(ranges).as("and none").hasSize(5);
    }
}
