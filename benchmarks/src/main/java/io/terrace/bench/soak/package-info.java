/**
 * {@code bin/terrace test soak}: real daemons and clients for minutes or hours under faults drawn from a seed, with every byte
 * compared.
 *
 * <p>Imports: {@code bench.soak.client}, {@code bench.soak.logs}, {@code bench.cluster}, {@code bench.faults}, {@code bench.measure}.
 */
@NullMarked
package io.terrace.bench.soak;

import org.jspecify.annotations.NullMarked;
