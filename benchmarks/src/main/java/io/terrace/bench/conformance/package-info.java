/**
 * Hadoop's own tests, run twice: as published, and with Terrace switched on by configuration and jars alone. {@code
 * docs/reliability.md} says how to use it and what it found.
 *
 * <p>Imports: its three sub-packages.
 */
@NullMarked
package io.terrace.bench.conformance;

import org.jspecify.annotations.NullMarked;
