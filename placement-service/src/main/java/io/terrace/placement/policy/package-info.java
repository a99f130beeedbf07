/**
 * Which policy is in force and which rule holds for a block.
 *
 * <p>Imports: {@code conf}, {@code placement.state} and what it imports, {@code policy}.
 */
@NullMarked
package io.terrace.placement.policy;

import org.jspecify.annotations.NullMarked;
