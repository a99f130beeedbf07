package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PolicyHistory;
import io.terrace.protocol.proto.AdminProtos.PolicyStepProto;
import org.junit.jupiter.api.Test;

class PolicyCodecTest {

    /** As after the way back to an older release, which does not know a key of the policy. */
    @Test
    void appliedPolicy_thatIsNotWhatTheServiceDecidesBy_isNotShownInForce() {
        PolicyHistory history = new PolicyHistory(
                1, PolicyHistory.EMPTY.apply(1, "operator", "policy: nonsense").steps());

        assertThat(PolicyCodec.steps(history, 0, true)).noneMatch(PolicyStepProto::getInForce);
        assertThat(PolicyCodec.steps(history, 1, true)).allMatch(PolicyStepProto::getInForce);
    }
}
