/**
 * What the cluster did within an interval: {@code placementctl stats}.
 *
 * <p>Imports: {@code placementctl.client}, {@code placementctl.terminal}, {@code protocol}.
 */
@NullMarked
package io.terrace.placementctl.stats;

import org.jspecify.annotations.NullMarked;
