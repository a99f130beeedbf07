/**
 * Messages between DataNodes, tools and the placement service, over Hadoop RPC. The message classes are generated
 * from {@code src/main/proto}.
 *
 * <p>Imports: {@code common}, Hadoop's RPC, and Jackson, which Hadoop brings.
 */
@NullMarked
package io.terrace.protocol;

import org.jspecify.annotations.NullMarked;
