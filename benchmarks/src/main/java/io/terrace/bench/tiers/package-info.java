/**
 * {@code bin/terrace bench tiers}: moves of replicas between the volumes of real DataNodes, ordered by the placement service.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.load}, {@code bench.measure}, {@code bench.read}, {@code
 * bench.tiers.media}; {@code client} and {@code metrics} of Terrace.
 */
@NullMarked
package io.terrace.bench.tiers;

import org.jspecify.annotations.NullMarked;
