package io.terrace.placement.accesslog;

/**
 * Accesses on their way from the loop to the writer: two arrays of {@value #ENTRIES} entries, 5 MB in all, one being
 * filled while the other is written. What does not fit is lost and counted by the caller.
 */
final class AccessBuffer {

    static final int ENTRIES = 32_768;
    static final int FIELDS = 9;

    private long[] filling = new long[ENTRIES * FIELDS];
    private long[] spare = new long[ENTRIES * FIELDS];
    private int filled;

    /**
     * False if there is no room.
     *
     * @param host number of the readers' host
     * @param node number of the DataNode that served them
     */
    synchronized boolean add(
            long atMs,
            long block,
            long length,
            long reads,
            long bytesRead,
            long writes,
            long bytesWritten,
            long host,
            long node) {
        if (filled == ENTRIES) {
            return false;
        }
        int at = filled++ * FIELDS;
        filling[at] = atMs;
        filling[at + 1] = block;
        filling[at + 2] = length;
        filling[at + 3] = reads;
        filling[at + 4] = bytesRead;
        filling[at + 5] = writes;
        filling[at + 6] = bytesWritten;
        filling[at + 7] = host;
        filling[at + 8] = node;
        return true;
    }

    /** What was added since the last call; the array is the caller's until then. */
    synchronized Batch take() {
        Batch batch = new Batch(filling, filled);
        long[] empty = spare;
        spare = filling;
        filling = empty;
        filled = 0;
        return batch;
    }

    /** @param values {@link #FIELDS} for each entry */
    record Batch(long[] values, int entries) {}
}
