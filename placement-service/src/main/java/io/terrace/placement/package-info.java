/**
 * The placement engine and its thread: takes heartbeats, runs the policy, sends orders. Time is passed in and one
 * thread owns the state, so the same code runs in the NameNode and in simulations.
 *
 * <p>Imports: {@code common}, {@code conf}, all packages of {@code placement} but {@code placement.hdfs}.
 */
@NullMarked
package io.terrace.placement;

import org.jspecify.annotations.NullMarked;
