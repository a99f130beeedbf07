/**
 * Durable replicas as Terrace reads them, and the checksums of their meta files.
 *
 * <p>Imports: {@code common}, {@code transport}, {@code server}.
 */
@NullMarked
package io.terrace.datanode.replica;

import org.jspecify.annotations.NullMarked;
