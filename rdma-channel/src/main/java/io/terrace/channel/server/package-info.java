/**
 * How a DataNode grants blocks, to clients of this host over a Unix socket and to other hosts over tcp.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}, {@code shm}, {@code tcp}, {@code tcp.server},
 * {@code write}.
 */
@NullMarked
package io.terrace.channel.server;

import org.jspecify.annotations.NullMarked;
