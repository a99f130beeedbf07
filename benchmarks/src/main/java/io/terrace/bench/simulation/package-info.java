/**
 * The command of the seeded simulation. {@code docs/simulation.md} says how it works.
 *
 * <p>Imports: its sub-packages.
 */
@NullMarked
package io.terrace.bench.simulation;

import org.jspecify.annotations.NullMarked;
