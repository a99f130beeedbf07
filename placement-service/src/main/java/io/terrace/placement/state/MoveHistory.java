package io.terrace.placement.state;

import java.util.ArrayList;
import java.util.List;

/** The latest moves that ended, a bounded number of them. Owned by one thread. */
public final class MoveHistory {

    public static final int MOST_MOVES = 4096;

    private final Move[] ring = new Move[MOST_MOVES];
    private long written;

    void add(Move move) {
        ring[(int) (written++ % MOST_MOVES)] = move;
    }

    /** The latest moves of a block, latest first. */
    public List<Move> of(long blockId, int most) {
        List<Move> found = new ArrayList<>();
        for (long i = written - 1; i >= Math.max(0, written - MOST_MOVES) && found.size() < most; i--) {
            Move move = ring[(int) (i % MOST_MOVES)];
            if (move.block().id() == blockId) {
                found.add(move);
            }
        }
        return found;
    }

    /** The latest moves of all blocks, latest first. */
    public List<Move> latest(int most) {
        List<Move> found = new ArrayList<>();
        for (long i = written - 1; i >= Math.max(0, written - MOST_MOVES) && found.size() < most; i--) {
            found.add(ring[(int) (i % MOST_MOVES)]);
        }
        return found;
    }
}
