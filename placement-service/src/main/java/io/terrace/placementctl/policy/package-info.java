/**
 * The commands {@code placementctl policy ...}, one class a verb, and {@code placementctl size}.
 *
 * <p>Imports: {@code placementctl.command}, {@code placementctl.client}, {@code placementctl.simulate}, {@code
 * placementctl.terminal}, {@code placement.policy} and what it imports, {@code policy} and its sub-packages.
 */
@NullMarked
package io.terrace.placementctl.policy;

import org.jspecify.annotations.NullMarked;
