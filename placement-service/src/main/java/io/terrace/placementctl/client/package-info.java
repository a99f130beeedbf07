/**
 * The connection of {@code placementctl} to the placement services.
 *
 * <p>Imports: {@code conf}, {@code protocol}, Hadoop's RPC.
 */
@NullMarked
package io.terrace.placementctl.client;

import org.jspecify.annotations.NullMarked;
