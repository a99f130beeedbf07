/** Placement quality: policies replayed over traces and memory sizes, scored against reference results when there are. */
package io.terrace.bench.placement;
