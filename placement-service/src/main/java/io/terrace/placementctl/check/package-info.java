/**
 * Whether blocks are in memory: reads a file as clients of this host do ({@code placementctl check}), and waits for
 * promotions ({@code promote --wait}).
 *
 * <p>Imports: {@code placementctl.client}, {@code placementctl.terminal}, {@code client}, {@code fs}, {@code conf}, {@code
 * metrics}, {@code protocol}, Hadoop's client.
 */
@NullMarked
package io.terrace.placementctl.check;

import org.jspecify.annotations.NullMarked;
