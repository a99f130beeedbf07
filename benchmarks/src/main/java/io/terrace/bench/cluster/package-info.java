/**
 * A real HDFS cluster on this host: a NameNode and DataNodes, each its own JVM, on loopback, in one directory.
 *
 * <p>Imports: {@code conf}, Hadoop.
 */
@NullMarked
package io.terrace.bench.cluster;

import org.jspecify.annotations.NullMarked;
