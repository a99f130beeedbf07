/**
 * What the commands of {@code placementctl} share: common options, the connection, exit codes.
 *
 * <p>Imports: {@code placementctl.client}, {@code placementctl.terminal}.
 */
@NullMarked
package io.terrace.placementctl.command;

import org.jspecify.annotations.NullMarked;
