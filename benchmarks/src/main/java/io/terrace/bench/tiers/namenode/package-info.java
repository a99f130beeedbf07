/**
 * What the placement service costs the NameNode: the operations of NNThroughputBenchmark against a real NameNode with the plugin and
 * a stock one in turns, also with DataNodes that send heartbeats and move replicas.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.faults}, {@code bench.measure}, the jars of {@code bench.conformance.jars}; Hadoop and its tests.
 */
@NullMarked
package io.terrace.bench.tiers.namenode;

import org.jspecify.annotations.NullMarked;
