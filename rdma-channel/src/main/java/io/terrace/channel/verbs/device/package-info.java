/**
 * The objects of an RDMA device: protection domain, queue pairs, completion channels, registered buffers.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}, {@code rdmacore}, DiSNI.
 */
@NullMarked
package io.terrace.channel.verbs.device;

import org.jspecify.annotations.NullMarked;
