package io.terrace.placement.explain;

import io.terrace.placement.policyfile.SizeRange;
import io.terrace.placement.state.OperatorState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all blocks of a file, and for whom it is told.
 *
 * @param path of the file; empty if it has none any more
 * @param pin what pins the file; null if nothing does
 * @param forbids the rule or annotation that keeps the file out of memory; null if none does
 * @param sizes of blocks that the policy file lets into memory
 * @param moveBytesPerSecond the move budget of a DataNode; 0 for none
 * @param waitMs a move that waits for longer is given up
 * @param nowMs on the clock of moves
 * @param wallMs since 1970
 * @param rivals files of other blocks, of those that the reader may read
 */
public record FileSituation(
        String path,
        @Nullable FilePin pin,
        @Nullable Rule forbids,
        SizeRange sizes,
        OperatorState operatorState,
        long moveBytesPerSecond,
        long waitMs,
        long nowMs,
        long wallMs,
        Map<Long, String> rivals) {

    public FileSituation {
        rivals = Map.copyOf(rivals);
    }

    /**
     * A rule of the policy file, or an annotation.
     *
     * @param name what to call it
     * @param words what it says, for those who may read the policy file; else empty
     * @param remedy how to change it
     */
    public record Rule(String name, String words, String remedy) {}

    /** A block of a file that the reader may read by its name, any other one as such. */
    String other(long blockId) {
        String known = rivals.get(blockId);
        return known == null ? "another block" : Words.name(known);
    }

    /** The whole of a command about the file. */
    String command(String verb) {
        return "placementctl " + verb + " " + Words.argument(path);
    }
}
