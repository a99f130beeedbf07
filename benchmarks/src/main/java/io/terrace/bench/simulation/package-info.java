/**
 * The seeded simulation of the whole: the real decision, move, grant and revocation code in virtual time, under faults,
 * with named invariants. {@code docs/simulation.md} says how it works.
 */
@NullMarked
package io.terrace.bench.simulation;

import org.jspecify.annotations.NullMarked;
