package io.terrace.client.write;

import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;

/**
 * A block that its first DataNode has finalised, and the others not yet, while the file goes on with the next one. The NameNode
 * takes it for written, so it gets no other generation stamp any more.
 */
public interface EndedBlock {
    /** What goes on while a call of another thread is waited for. */
    interface Others {
        /**
         * Serves the file's other blocks until this is so, looked at whenever {@link FileOutput#wake} is called.
         *
         * @throws IOException also when the file has ended
         */
        void serveUntil(BooleanSupplier done) throws IOException;
    }

    /** No DataNode has all of a block that the NameNode takes for written. */
    final class LostException extends IOException {
        private static final long serialVersionUID = 1L;

        LostException(String message, Throwable why) {
            super(message, why);
        }
    }

    /** Its DataNodes. */
    List<DatanodeInfo> nodes();

    /** The longest that a DataNode may be silent while it owes an answer. */
    long answerTimeoutNs();

    /** More of it was acknowledged by all. */
    void acknowledged();

    /**
     * Hadoop's request to finalise the replica of one of its DataNodes, or a copy of it, unless it lacks bytes.
     *
     * @param node index among {@link #nodes}; that of another one for a copy
     */
    byte[] finalising(int node) throws IOException;

    /**
     * Hadoop's request to go on with the replica of one of its DataNodes.
     *
     * @param ackedBytes that it has at least
     */
    byte[] resuming(int node, long ackedBytes) throws IOException;

    /**
     * Has another DataNode copy the block from one that has it; that one has not told the NameNode yet.
     *
     * @param whole which of {@link #nodes} have it
     * @param copies that have it beside them
     * @param failed DataNodes that could not copy it
     * @param others served while it is copied
     * @return the DataNode; null when the file is to go on without, or has ended
     * @throws IOException when it is not, and there is none
     */
    @Nullable
    DatanodeInfo copy(boolean[] whole, List<DatanodeInfo> copies, List<DatanodeInfo> failed, Others others)
            throws IOException;
}
