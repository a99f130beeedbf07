/**
 * Media of set speed for the DataNodes of a benchmark: reads and writes of replicas are delayed by the storage type of their volume,
 * under Terrace and under stock HDFS alike. Nothing of it is part of Terrace.
 *
 * <p>Imports: no other package of Terrace.
 */
@NullMarked
package io.terrace.bench.tiers.media;

import org.jspecify.annotations.NullMarked;
