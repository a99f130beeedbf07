/**
 * The self-tuning policy: what it knows of each object, what it expects of it, and the tournament that picks its
 * rule.
 *
 * <p>Imports: {@code policy.api}, {@code policy.cache}.
 */
@NullMarked
package io.terrace.policy.adaptive;

import org.jspecify.annotations.NullMarked;
