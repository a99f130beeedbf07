/**
 * JMH benchmarks of hot paths.
 *
 * <p>Imports: the classes under test.
 */
@NullMarked
package io.terrace.bench.jmh;

import org.jspecify.annotations.NullMarked;
