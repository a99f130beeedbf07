/**
 * The list of metrics, their values, and the exporters for Hadoop's metrics2, JMX and Micrometer.
 *
 * <p>Imports: {@code common}; Micrometer in its bridge alone.
 */
@NullMarked
package io.terrace.metrics;

import org.jspecify.annotations.NullMarked;
