/**
 * From a policy's request to an order: checks, budgets, pins, and requests of the operator.
 *
 * <p>Imports: {@code placement.policy} and what it imports.
 */
@NullMarked
package io.terrace.placement.move;

import org.jspecify.annotations.NullMarked;
