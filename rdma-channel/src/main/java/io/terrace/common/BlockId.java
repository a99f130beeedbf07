package io.terrace.common;

/**
 * Names a block of whatever generation stamp.
 *
 * @param pool block pool id
 * @param id of the block in its pool; any value
 */
public record BlockId(String pool, long id) {}
