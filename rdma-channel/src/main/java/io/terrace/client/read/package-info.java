/**
 * Routes each read: memory of this host, memory of another host, or stock HDFS, and falls back.
 *
 * <p>Imports: {@code client}, {@code client.remote}.
 */
@NullMarked
package io.terrace.client.read;

import org.jspecify.annotations.NullMarked;
