package io.terrace.placement.move;

import io.terrace.placement.state.Move;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Blocks for which an operator's request could not be carried out, and why; the first {@value #MOST_KEPT} are kept. */
public final class Refusals {

    static final int MOST_KEPT = 20;

    private final List<String> lines = new ArrayList<>();
    /** Of blocks that are, or will be, where they were to go. */
    private final List<String> harmless = new ArrayList<>();

    private final List<Long> openMoveIds = new ArrayList<>();
    private int count;
    private int inMemory;

    public void add(StampedBlock block, String why) {
        count++;
        keep(lines, block + ": " + why);
    }

    /** Blocks beyond those that one request takes. */
    public void addBeyond(int blocks, String why) {
        count += blocks;
        keep(lines, why);
    }

    private static void keep(List<String> kept, String line) {
        if (kept.size() < MOST_KEPT) {
            kept.add(line);
        }
    }

    /** The block is where it was to go. */
    void addInMemory(StampedBlock block, String node) {
        count++;
        inMemory++;
        keep(harmless, block + ": it is in memory on " + node + " already");
    }

    /** A move that does the same is open. */
    void addOpen(StampedBlock block, Move move, String why) {
        count++;
        openMoveIds.add(move.id());
        keep(harmless, block + ": " + why);
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

    /** Of {@link #lines()}, those that say what failed. One of them may be of many blocks. */
    public int reasons() {
        return lines.size();
    }

    /** What failed comes first. */
    public List<String> lines() {
        return Stream.concat(lines.stream(), harmless.stream()).limit(MOST_KEPT).toList();
    }
}
