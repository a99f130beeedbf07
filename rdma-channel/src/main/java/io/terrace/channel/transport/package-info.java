/**
 * What every transport of the channel offers: remote extents, keys, statuses and checksums.
 *
 * <p>Imports: {@code common}, {@code channel}; {@code NativeChunkVerifier} alone Hadoop's checksums.
 */
@NullMarked
package io.terrace.channel.transport;

import org.jspecify.annotations.NullMarked;
