/**
 * Paired measurement: interleaved rounds, ratios, result sheets.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.measure;

import org.jspecify.annotations.NullMarked;
