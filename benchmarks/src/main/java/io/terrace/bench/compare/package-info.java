/**
 * Another build against this one: whole runs of a benchmark in turns, compared figure by figure. Imports
 * {@code bench.cluster} and the paired ratios of {@code bench.read}.
 */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.compare;
