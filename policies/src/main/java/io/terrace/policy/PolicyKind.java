package io.terrace.policy;

import java.util.List;

/**
 * A policy that can be chosen by name.
 *
 * @param name name in the policy file
 * @param summary one sentence on what it does and its source
 * @param parameters keys it takes
 */
public record PolicyKind(String name, String summary, List<PolicyParameter> parameters) {

    public PolicyKind {
        parameters = List.copyOf(parameters);
    }
}
