/**
 * The access log: segments of reads that policy simulations replay.
 *
 * <p>Imports: {@code common}.
 */
@NullMarked
package io.terrace.placement.accesslog;

import org.jspecify.annotations.NullMarked;
