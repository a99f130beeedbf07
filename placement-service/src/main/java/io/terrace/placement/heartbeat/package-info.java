/**
 * What DataNodes and the service tell each other, bounded while it is decoded.
 *
 * <p>Imports: {@code common}, {@code metrics}, {@code protocol}.
 */
@NullMarked
package io.terrace.placement.heartbeat;

import org.jspecify.annotations.NullMarked;
