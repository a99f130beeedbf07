/**
 * Policies by name, stacked over tiers and divided in pools. Pure and deterministic: time is passed in, nothing reads
 * a clock, starts a thread or knows of Hadoop. The same policies run in the service, in {@code placementctl policy
 * simulate} and in the benchmarks.
 *
 * <p>Imports: the other packages of {@code policy} but {@code replay}.
 */
@NullMarked
package io.terrace.policy;

import org.jspecify.annotations.NullMarked;
