/**
 * Replays logged accesses through policies: {@code placementctl policy simulate}.
 *
 * <p>Imports: {@code placementctl.client}, {@code placementctl.terminal}, {@code placementctl.cluster}, {@code
 * placement.accesslog}, {@code placement.policyfile}, {@code policy} and its sub-packages.
 */
@NullMarked
package io.terrace.placementctl.simulate;

import org.jspecify.annotations.NullMarked;
