/**
 * {@code bin/terrace bench compare}: another build against this one, in turns.
 *
 * <p>Imports: {@code bench.measure}, {@code bench.cluster}.
 */
@NullMarked
package io.terrace.bench.compare;

import org.jspecify.annotations.NullMarked;
