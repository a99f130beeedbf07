/**
 * Every figure of Terrace in one list, its values, and the ways out: Prometheus text through Micrometer, and Hadoop's
 * metrics2/JMX.
 */
@NullMarked
package io.terrace.metrics;

import org.jspecify.annotations.NullMarked;
