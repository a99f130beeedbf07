/**
 * Replays of reads over several DataNodes, with the placement service's own engine deciding.
 *
 * <p>Imports: {@code placement}, {@code policy.replay}, {@code common}, {@code protocol}.
 */
@NullMarked
package io.terrace.placementctl.cluster;

import org.jspecify.annotations.NullMarked;
