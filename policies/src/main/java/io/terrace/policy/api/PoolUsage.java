package io.terrace.policy.api;

/**
 * What a pool has of one DataNode's memory, in bytes.
 *
 * @param ownBytes what is the pool's whenever it needs it
 * @param mostBytes what it may take when others leave room
 * @param usedBytes what its objects take, moves that were wished for included
 */
public record PoolUsage(String name, long ownBytes, long mostBytes, long usedBytes) {}
