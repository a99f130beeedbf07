/**
 * The list of metrics, their values, and the exporters to Hadoop's metrics2 and to Micrometer.
 *
 * <p>Imports: {@code common}; Micrometer in its bridge alone.
 */
@NullMarked
package io.terrace.metrics;

import org.jspecify.annotations.NullMarked;
