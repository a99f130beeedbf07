/**
 * What should be where: placement policies, the tiers they place objects in, and the simulator that replays traces
 * against them.
 *
 * <p>Pure and deterministic: time is passed in, nothing here reads a clock, starts a thread or knows of Hadoop. The
 * same policy objects run in the NameNode's placement service, in {@code placementctl policy simulate} and in the
 * benchmarks.
 */
package io.terrace.policy;
