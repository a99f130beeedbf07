/** A real HDFS cluster on this host: a NameNode and DataNodes, each its own JVM, on loopback, in one directory. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.cluster;
