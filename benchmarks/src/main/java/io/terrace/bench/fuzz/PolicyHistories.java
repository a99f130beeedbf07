package io.terrace.bench.fuzz;

import io.terrace.placement.policyfile.PolicyHistory;
import java.util.List;

/** The history of policies, as the root's attribute has it: one that is taken is the same when it is stored again. */
final class PolicyHistories implements FuzzTarget {

    @Override
    public List<byte[]> seeds() {
        PolicyHistory one = PolicyHistory.EMPTY.apply(1_700_000_000_000L, "alice", "policy: lru\n");
        PolicyHistory two = one.apply(1_700_000_001_000L, "bob", "policy: adaptive\n");
        return List.of(
                PolicyHistory.EMPTY.encoded(),
                one.encoded(),
                two.encoded(),
                two.rollback().encoded());
    }

    @Override
    public void read(byte[] input) {
        PolicyHistory history;
        try {
            history = PolicyHistory.decoded(input);
        } catch (IllegalArgumentException e) {
            return;
        }
        byte[] stored;
        try {
            stored = history.encoded();
        } catch (IllegalArgumentException e) {
            // Somebody else wrote more than this would store.
            return;
        }
        PolicyHistory again = PolicyHistory.decoded(stored);
        FuzzTarget.require(again.inForce() == history.inForce(), "another policy is in force");
    }
}
