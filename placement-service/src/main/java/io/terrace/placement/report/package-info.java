/**
 * Records of the service's state for {@code placementctl}, the web pages and metrics.
 *
 * <p>Imports: {@code placement.move} and what it imports, {@code placement.volume}.
 */
@NullMarked
package io.terrace.placement.report;

import org.jspecify.annotations.NullMarked;
