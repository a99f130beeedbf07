/** Traces of accesses and the simulator that replays them against a policy and a hierarchy of tiers. */
package io.terrace.policy.sim;
