/**
 * Unchanged HBase, MapReduce and Spark on a local cluster, on stock HDFS and with Terrace: {@code bin/terrace run}.
 *
 * <p>Imports: {@code bench.read}, {@code bench.measure}, {@code bench.cluster}.
 */
@NullMarked
package io.terrace.bench.apps;

import org.jspecify.annotations.NullMarked;
