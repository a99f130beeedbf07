/**
 * Placement quality: policies replayed over traces and memory sizes, scored against reference results.
 *
 * <p>Imports: {@code policy} and its sub-packages.
 */
@NullMarked
package io.terrace.bench.policy;

import org.jspecify.annotations.NullMarked;
