/** The only place of the DataNode's part that touches DataNode classes: the plugin, and what a dataset of ours calls. */
@NullMarked
package io.terrace.datanode.hdfs;

import org.jspecify.annotations.NullMarked;
