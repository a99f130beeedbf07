/**
 * {@code bin/terrace test versions}: Terrace's jars in daemons and clients of several releases of Hadoop, on several JDKs.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.measure}, {@code bench.read}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.versions;

import org.jspecify.annotations.NullMarked;
