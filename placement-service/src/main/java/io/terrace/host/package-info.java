/**
 * {@code terrace-host}: whether a DataNode's host has what the memory tier and the channels need, and the files and commands
 * that give it.
 *
 * <p>Everything is read below a root directory, so that an image of another host can be checked and prepared, and tests need no
 * host. {@code HostFacts} is what is there, {@code HostSettings} what the configuration asks for; {@code HostCheck} compares
 * them, {@code HostPlan} makes the steps that are missing. One thread.
 *
 * <p>Imports: {@code common}, {@code conf}, {@code compat}, {@code placement.heartbeat}, {@code placementctl.client},
 * {@code placementctl.command}, {@code placementctl.terminal}.
 */
@NullMarked
package io.terrace.host;

import org.jspecify.annotations.NullMarked;
