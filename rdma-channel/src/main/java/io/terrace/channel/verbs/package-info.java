/**
 * The transport for RDMA: connections, extents and registrations, written against DiSNI's API. Nothing here is loaded
 * unless verbs are switched on. A missing library is a LinkageError and means "no verbs on this host".
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}, {@code server}, {@code write}, {@code device}, {@code rdmacore},
 * DiSNI.
 */
@NullMarked
package io.terrace.channel.verbs;

import org.jspecify.annotations.NullMarked;
