package io.terrace.placement.policyfile;

import io.terrace.policy.api.PoolShare;
import java.util.Map;

/**
 * A part of each DataNode's memory for the blocks that rules send there.
 *
 * @param share its part of memory, the one tier that pools divide
 * @param policy its policy's name
 * @param parameters those of its policy, checked
 */
public record PoolSpec(PoolShare share, String policy, Map<String, String> parameters) {

    /** The pool of blocks that no rule sends elsewhere. */
    public static final String REST = "default";

    public PoolSpec {
        parameters = Map.copyOf(parameters);
    }

    public String name() {
        return share.name();
    }
}
