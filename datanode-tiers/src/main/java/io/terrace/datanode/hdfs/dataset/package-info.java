/**
 * Adapters to the DataNode's dataset, streams, tokens and metrics.
 *
 * <p>Imports: all packages of {@code datanode} above; DataNode classes.
 */
@NullMarked
package io.terrace.datanode.hdfs.dataset;

import org.jspecify.annotations.NullMarked;
