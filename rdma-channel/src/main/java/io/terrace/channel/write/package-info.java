/**
 * The wire format by which a client writes blocks to a DataNode, and a connection that speaks it. Bodies that Hadoop
 * defines (opening a block, its answer, a failure) are bytes here.
 *
 * <p>Imports: {@code common}, {@code channel}.
 */
@NullMarked
package io.terrace.channel.write;

import org.jspecify.annotations.NullMarked;
