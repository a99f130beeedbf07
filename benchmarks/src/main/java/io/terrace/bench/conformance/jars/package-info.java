/**
 * Hadoop's test jars and Terrace's jars by content, for {@code bench.conformance}.
 *
 * <p>Imports: the JDK.
 */
@NullMarked
package io.terrace.bench.conformance.jars;

import org.jspecify.annotations.NullMarked;
