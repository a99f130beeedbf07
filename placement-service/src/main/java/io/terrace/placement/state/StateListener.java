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

        @Override
        public void noted(Note note) {
            // Nobody remembers.
        }
    };

    /**
     * Something small that is to be remembered over a restart of the NameNode.
     *
     * @param key what it is about; another one of the same key takes its place
     * @param untilMs then it is of no use any more; of the clock of whoever has the note
     * @param text empty to forget it
     */
    record Note(String key, long untilMs, String text) {

        /** Nothing is to be remembered of that any more. */
        public static Note forgotten(String key) {
            return new Note(key, Long.MIN_VALUE, "");
        }

        public boolean isForgotten() {
            return text.isEmpty();
        }
    }

    /** The heat of a block makes room for that of another one. */
    void left(BlockHeat heat);

    /** A block is reported whose heat is not known; it is from now on. */
    void missed(long blockId);

    /** A move on a DataNode has ended. */
    void ended(DataNodeState node, Move move);

    /** This is to be known after a restart. */
    void noted(Note note);
}
