package io.terrace.policy.api;

/**
 * What a pool has of one tier of a DataNode, in bytes.
 *
 * @param tier the tier's name
 * @param name the pool's name
 * @param ownBytes what is the pool's whenever it needs it
 * @param mostBytes what it may take when others leave room
 * @param usedBytes what its objects take, requested moves included
 */
public record PoolUsage(String tier, String name, long ownBytes, long mostBytes, long usedBytes) {}
