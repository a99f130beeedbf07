/**
 * The placement loop: heat of blocks, each DataNode's policy, the move budget, orders and their results. Knows nothing
 * of the NameNode's classes; time is passed in and one thread owns the state, so the same code runs in the NameNode and,
 * stepped, in simulations.
 */
package io.terrace.placement;
