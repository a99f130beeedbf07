/**
 * The tcp transport: its wire format and the connecting end. The owner's server does the one-sided work. Many
 * requests share few connections, and the block's own HDFS checksums travel along.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}.
 */
@NullMarked
package io.terrace.channel.tcp;

import org.jspecify.annotations.NullMarked;
