package io.terrace.placement.control;

import io.terrace.common.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * How long reads from a tier took, of all blocks.
 *
 * @param reads of stock clients, that DataNodes timed
 * @param readNs of a read; null for too few
 * @param byteNs of a byte
 */
public record TierTimes(
        StorageTier tier, long reads, long bytes, @Nullable Estimate readNs, @Nullable Estimate byteNs) {}
