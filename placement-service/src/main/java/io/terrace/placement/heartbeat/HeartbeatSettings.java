package io.terrace.placement.heartbeat;

/**
 * How often DataNodes report, how much of a report is taken, and when a silent DataNode is given up.
 *
 * @param intervalMs time between two heartbeats of a DataNode
 * @param expiryMs a DataNode that was silent for longer gets no orders and is the home of no block
 * @param forgetMs a DataNode that was silent for longer is forgotten
 * @param entries entries of each list that are taken from one heartbeat
 */
public record HeartbeatSettings(int intervalMs, long expiryMs, long forgetMs, int entries) {}
