/**
 * {@code bin/terrace bench scale}: the placement service with as many DataNodes and blocks as a large cluster has.
 *
 * <p>Imports: {@code bench.measure}, the placement service, Hadoop's NameNode.
 */
@NullMarked
package io.terrace.bench.scale;

import org.jspecify.annotations.NullMarked;
