package io.terrace.placement.volume;

import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.state.NamespaceView.Placed;
import org.jspecify.annotations.Nullable;

/** The rules and annotations in force. */
interface RangeRules {
    /** The rule that gives a block a range, within what quotas by storage type leave of it; null if none does. */
    @Nullable
    PathRule of(Placed placed);
}
