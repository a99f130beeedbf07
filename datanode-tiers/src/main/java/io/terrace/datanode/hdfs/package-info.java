/**
 * The DataNode plugin: start, wiring, stop. No other package imports it.
 *
 * <p>Imports: everything of this module and of the channel; DataNode classes.
 */
@NullMarked
package io.terrace.datanode.hdfs;

import org.jspecify.annotations.NullMarked;
