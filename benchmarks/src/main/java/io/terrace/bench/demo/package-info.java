/**
 * {@code bin/terrace demo}: a skewed workload on a small cluster, with hot blocks promoted to memory.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.demo;

import org.jspecify.annotations.NullMarked;
