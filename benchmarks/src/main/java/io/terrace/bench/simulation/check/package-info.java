/**
 * The invariants that hold after every event.
 *
 * <p>Imports: {@code bench.simulation.cluster} and what it imports.
 */
@NullMarked
package io.terrace.bench.simulation.check;

import org.jspecify.annotations.NullMarked;
