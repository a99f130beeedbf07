/**
 * The serving end of the tcp transport: sessions, loops and the ranges that are served.
 *
 * <p>Imports: {@code common}, {@code channel}, {@code transport}, {@code tcp}, {@code write}.
 */
@NullMarked
package io.terrace.channel.tcp.server;

import org.jspecify.annotations.NullMarked;
