package io.terrace.placement.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a person is told of a block.
 *
 * @param state where it is, beginning in capitals
 * @param why one sentence or two
 * @param next what would change it
 * @param tiers the same of the tiers below memory, where a rule or a storage policy is in charge of them; null where none is
 * @param comings in place of most of the moves, where the block came and went; null where it did not
 */
public record BlockVerdict(
        String state,
        String why,
        String next,
        @Nullable String tiers,
        List<ReplicaRow> replicas,
        List<MoveRow> moves,
        @Nullable String comings) {

    public BlockVerdict {
        replicas = List.copyOf(replicas);
        moves = List.copyOf(moves);
    }

    /**
     * A row of the table of replicas.
     *
     * @param copy of its copy in memory: since when, and what keeps it; {@code -} if there is none
     */
    public record ReplicaRow(String datanode, String tier, String copy, String reads, String fromMemory) {}

    /**
     * A row of the table of moves.
     *
     * @param by the user who ordered it, or what did
     */
    public record MoveRow(String when, String move, String by, String result, String because) {}
}
