package io.terrace.placement.heartbeat;

/**
 * The memory tier of a DataNode is to hold so many bytes from now on, until it restarts.
 *
 * @param id another one for each request, by which the DataNode carries it out once
 */
public record Resize(long id, long capacityBytes) {}
