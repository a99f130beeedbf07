/** Unchanged HBase, MapReduce and their like on a local cluster, on stock HDFS and with Terrace: {@code bin/terrace run}. */
package io.terrace.bench.run;
