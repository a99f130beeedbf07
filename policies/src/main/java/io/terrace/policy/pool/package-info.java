/** Pools: parts of the memory tier, each with a policy of its own. */
@NullMarked
package io.terrace.policy.pool;

import org.jspecify.annotations.NullMarked;
