/**
 * Hadoop's own tests, run twice: as published, and with Terrace switched on by configuration and jars alone.
 *
 * <p>{@link io.terrace.bench.conformance.HadoopConformance} is the command, {@link
 * io.terrace.bench.conformance.Campaign} the loop over the classes, {@link io.terrace.bench.conformance.TestJvm} what
 * runs inside each test's own JVM. How to use it and what it found: {@code docs/reliability.md}.
 */
@NullMarked
package io.terrace.bench.conformance;

import org.jspecify.annotations.NullMarked;
