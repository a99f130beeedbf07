/**
 * {@code bin/terrace test fuzz}: every parser that strangers reach, on inputs that coverage guides.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.measure}, and what is under test.
 */
@NullMarked
package io.terrace.bench.fuzz;

import org.jspecify.annotations.NullMarked;
