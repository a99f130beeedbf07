package io.terrace.policy.sim;

/**
 * What moving costs in a simulation.
 *
 * @param promotionDelayMs time from a wish to climb until reads are served by the faster tier; demotions take effect at
 *     once
 * @param moveBytesPerS budget of climbing bytes; moves wait in line for it. 0 means no limit
 * @param queuedMoves moves that may be under way or in line; a further wish fails
 */
public record World(long promotionDelayMs, long moveBytesPerS, int queuedMoves) {

    /** Moves are at once and cost nothing. */
    public static final World INSTANT = new World(0, 0, 1 << 20);

    public World {
        if (promotionDelayMs < 0 || moveBytesPerS < 0 || queuedMoves < 1) {
            throw new IllegalArgumentException("a world needs a delay and a budget of at least 0 and a queue of at"
                    + " least 1, not " + promotionDelayMs + " ms, " + moveBytesPerS + " bytes/s, " + queuedMoves);
        }
    }

    public static World delayed(long promotionDelayMs) {
        return new World(promotionDelayMs, 0, 1 << 20);
    }
}
