package io.terrace.placementctl.check;

/**
 * Why a block was not read from memory.
 *
 * @param remedy what to do about it
 */
public record Cause(String why, String remedy) {}
