/**
 * What callers of a policy see: accesses, tiers, move requests, explanations.
 *
 * <p>Imports: the JDK alone.
 */
@NullMarked
package io.terrace.policy.api;

import org.jspecify.annotations.NullMarked;
