/**
 * Moves of replicas between the volumes of a DataNode.
 *
 * <p>Imports: {@code common}, {@code protocol}, {@code replica}, DataNode classes.
 */
@NullMarked
package io.terrace.datanode.hdfs.volume;

import org.jspecify.annotations.NullMarked;
