package io.terrace.placement.move;

import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;

/** Blocks for which an operator's request could not be carried out, and why; the first {@value #MOST_KEPT} are kept. */
public final class Refusals {

    static final int MOST_KEPT = 20;

    private final List<String> lines = new ArrayList<>();
    private int count;

    public void add(StampedBlock block, String why) {
        count++;
        if (lines.size() < MOST_KEPT) {
            lines.add(block + ": " + why);
        }
    }

    public int count() {
        return count;
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }
}
