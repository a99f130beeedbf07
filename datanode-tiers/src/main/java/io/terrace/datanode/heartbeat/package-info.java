/**
 * The heartbeat to the placement service: heat, residency and results out, orders in.
 *
 * <p>Imports: {@code conf}, {@code protocol}, {@code channel.server}, {@code extent}, {@code move}, {@code memory}, {@code write},
 * {@code writethrough}.
 */
@NullMarked
package io.terrace.datanode.heartbeat;

import org.jspecify.annotations.NullMarked;
