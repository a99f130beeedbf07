/**
 * Faults, and planted bugs that the invariants must find.
 *
 * <p>Imports: {@code bench.simulation.check} and what it imports.
 */
@NullMarked
package io.terrace.bench.simulation.fault;

import org.jspecify.annotations.NullMarked;
