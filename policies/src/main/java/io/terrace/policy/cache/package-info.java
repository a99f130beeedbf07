/**
 * Cache policies for one boundary between two tiers. A new algorithm is one class here.
 *
 * <p>Imports: {@code policy.api}.
 */
@NullMarked
package io.terrace.policy.cache;

import org.jspecify.annotations.NullMarked;
