/**
 * Which DataNode is the first of a new block's pipeline: how fast clients write to each, as DataNodes tell it, and the draw.
 *
 * <p>Read by threads of the NameNode, written by those that take heartbeats. Imports the JDK and Caffeine alone.
 */
@NullMarked
package io.terrace.placement.write;

import org.jspecify.annotations.NullMarked;
