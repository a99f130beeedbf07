/**
 * A provider beneath DiSNI's API over the libibverbs and librdmacm that a distribution installs with rdma-core, called
 * through JNA. Nothing has to be compiled. Where libdisni is installed, DiSNI's own provider can be used instead.
 */
@NullMarked
package io.terrace.channel.verbs.rdmacore;

import org.jspecify.annotations.NullMarked;
