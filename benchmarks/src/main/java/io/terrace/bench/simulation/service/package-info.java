/**
 * What the simulated placement service has to go by: its policy file, and what it looks up in the namespace.
 *
 * <p>Imports: {@code bench.simulation.kernel} and the real code.
 */
@NullMarked
package io.terrace.bench.simulation.service;

import org.jspecify.annotations.NullMarked;
