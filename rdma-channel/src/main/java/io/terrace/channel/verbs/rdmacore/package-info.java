/**
 * A provider beneath DiSNI's API over the libibverbs and librdmacm of rdma-core, called through JNA. Nothing is
 * compiled. Where libdisni is installed, DiSNI's own provider can be used instead.
 *
 * <p>Imports: JNA, DiSNI.
 */
@NullMarked
package io.terrace.channel.verbs.rdmacore;

import org.jspecify.annotations.NullMarked;
