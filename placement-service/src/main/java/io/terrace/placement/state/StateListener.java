package io.terrace.placement.state;

/**
 * Is told what the {@link ClusterState} lets go of and what it does not know, on the thread that owns it. Must not block or
 * throw.
 */
public interface StateListener {

    StateListener NONE = new StateListener() {
        @Override
        public void left(BlockHeat heat) {
            // Nobody wants to know.
        }

        @Override
        public void missed(long blockId) {
            // Nobody knows more.
        }

        @Override
        public void ended(DataNodeState node, Move move) {
            // Nobody wants to know.
        }
    };

    /** The heat of a block makes room for that of another one. */
    void left(BlockHeat heat);

    /** A block is reported whose heat is not known; it is from now on. */
    void missed(long blockId);

    /** A move on a DataNode has ended. */
    void ended(DataNodeState node, Move move);
}
