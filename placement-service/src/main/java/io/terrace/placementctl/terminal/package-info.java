/**
 * Text, tables, progress and JSON on the terminal.
 *
 * <p>Imports: the JDK, protobuf's JSON format.
 */
@NullMarked
package io.terrace.placementctl.terminal;

import org.jspecify.annotations.NullMarked;
