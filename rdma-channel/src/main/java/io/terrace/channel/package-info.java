/**
 * The channel between a client and a DataNode: grants of resident blocks, one-sided reads and writes of their extents,
 * and the control messages around them. Imports nothing but the JDK.
 *
 * <p>A DataNode publishes what is resident in a {@link io.terrace.channel.SlotTable} and gives {@link
 * io.terrace.channel.Grant}s through its {@link io.terrace.channel.GrantServer}; a client looks into the table, asks once
 * for a grant and then reads without a call.
 */
@NullMarked
package io.terrace.channel;

import org.jspecify.annotations.NullMarked;
