/** The only place that touches the NameNode's classes: plugin, view of its maps, leadership, RPC and standing orders. */
package io.terrace.placement.hdfs;
