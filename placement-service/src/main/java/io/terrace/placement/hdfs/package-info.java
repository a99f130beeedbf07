/**
 * The NameNode plugin: start, wiring, heartbeat RPC, access control. No other package imports it.
 *
 * <p>Imports: all packages of {@code placement}; NameNode classes.
 */
@NullMarked
package io.terrace.placement.hdfs;

import org.jspecify.annotations.NullMarked;
