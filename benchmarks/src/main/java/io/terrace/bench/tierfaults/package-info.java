/**
 * {@code bin/terrace test tiers}: real daemons are killed while replicas move between volumes.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.faults}, {@code bench.load}, {@code bench.measure}, {@code bench.tiers}.
 */
@NullMarked
package io.terrace.bench.tierfaults;

import org.jspecify.annotations.NullMarked;
