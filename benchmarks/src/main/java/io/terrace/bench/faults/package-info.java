/**
 * Faults of a cluster on this host that tests make: signals to processes, links that are cut or slowed, volumes that are full.
 *
 * <p>Imports: {@code bench.cluster}.
 */
@NullMarked
package io.terrace.bench.faults;

import org.jspecify.annotations.NullMarked;
