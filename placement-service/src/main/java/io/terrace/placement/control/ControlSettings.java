package io.terrace.placement.control;

import io.terrace.common.ControlSample;

/**
 * Settings of the comparison.
 *
 * @param sample the blocks in it
 * @param pauseMs for which a tier with slower reads is left
 */
public record ControlSettings(ControlSample sample, long pauseMs) {

    /** No comparison: all blocks climb. */
    public static final ControlSettings OFF = new ControlSettings(ControlSample.NONE, 3_600_000);
}
