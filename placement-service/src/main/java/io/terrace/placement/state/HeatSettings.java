package io.terrace.placement.state;

/**
 * How much heat is kept, and for how long.
 *
 * @param trackedBlocks blocks whose heat is kept
 * @param halfLifeMs half-life of heat, where homes and {@code placementctl top} are concerned
 */
public record HeatSettings(int trackedBlocks, long halfLifeMs) {}
