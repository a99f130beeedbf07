package io.terrace.placement.move;

import io.terrace.placement.state.Move;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;

/** Blocks for which an operator's request could not be carried out, and why; the first {@value #MOST_KEPT} are kept. */
public final class Refusals {

    static final int MOST_KEPT = 20;

    private final List<String> lines = new ArrayList<>();
    private final List<Long> openMoveIds = new ArrayList<>();
    private int count;
    private int inMemory;

    public void add(StampedBlock block, String why) {
        count++;
        if (lines.size() < MOST_KEPT) {
            lines.add(block + ": " + why);
        }
    }

    /** The block is where it was to go. */
    void addInMemory(StampedBlock block, String node) {
        inMemory++;
        add(block, "it is in memory on " + node + " already");
    }

    /** A move that does the same is open. */
    void addOpen(StampedBlock block, Move move, String why) {
        openMoveIds.add(move.id());
        add(block, why);
    }

    /** Those of them that are in memory. */
    public int inMemory() {
        return inMemory;
    }

    /** Moves into memory that were open before. */
    public List<Long> openMoveIds() {
        return List.copyOf(openMoveIds);
    }

    public int count() {
        return count;
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }
}
