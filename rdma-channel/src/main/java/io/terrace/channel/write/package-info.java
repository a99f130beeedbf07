/**
 * The wire format by which a client writes blocks to a DataNode, and both ends of a connection that speaks it. A DataNode is
 * the client of the next one in a block's pipeline. Bodies that Hadoop defines (opening a block, its answer, a failure) are
 * bytes here.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}.
 */
@NullMarked
package io.terrace.channel.write;

import org.jspecify.annotations.NullMarked;
