/**
 * The HDFS client's end: a replica accessor that reads blocks resident in the memory of this host's DataNodes. Uses
 * nothing but the JDK and Hadoop. On any doubt it steps aside and stock HDFS reads; every such step is counted by its
 * reason in {@link io.terrace.client.ClientFigures}.
 */
@NullMarked
package io.terrace.client;

import org.jspecify.annotations.NullMarked;
