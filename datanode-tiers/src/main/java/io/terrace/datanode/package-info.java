/**
 * The memory tier of a DataNode: region, extents and their lives, verified copies, grants, pins, scrub, and the
 * heartbeats to the placement service. Knows nothing of the DataNode's classes; {@code io.terrace.datanode.hdfs} does.
 */
@NullMarked
package io.terrace.datanode;

import org.jspecify.annotations.NullMarked;
