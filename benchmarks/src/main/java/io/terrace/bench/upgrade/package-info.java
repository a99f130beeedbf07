/**
 * {@code bin/terrace test upgrade}: Terrace comes to a running cluster of real daemons and leaves it again, while clients read
 * and write.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.faults}, {@code bench.load}, {@code bench.measure}, {@code client} for
 * figures.
 */
@NullMarked
package io.terrace.bench.upgrade;

import org.jspecify.annotations.NullMarked;
