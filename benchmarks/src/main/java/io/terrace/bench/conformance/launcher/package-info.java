/**
 * What is copied into the JVM of each of Hadoop's tests.
 *
 * <p>Imports: JUnit, Hadoop.
 */
@NullMarked
package io.terrace.bench.conformance.launcher;

import org.jspecify.annotations.NullMarked;
