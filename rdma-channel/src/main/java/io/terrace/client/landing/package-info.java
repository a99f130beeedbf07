/**
 * The client's half of landing windows: the data of large frames is written by RDMA into a window of the DataNode. Where
 * there is none, or RDMA fails, data goes over tcp.
 *
 * <p>Imports: {@code client}, {@code common}, {@code metrics}, {@code channel}, {@code channel.write}, {@code transport}, {@code verbs}.
 */
@NullMarked
package io.terrace.client.landing;

import org.jspecify.annotations.NullMarked;
