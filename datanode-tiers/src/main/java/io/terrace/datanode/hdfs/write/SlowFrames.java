package io.terrace.datanode.hdfs.write;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/**
 * Has a slow DataNode leave a pipeline, where {@code dfs.pipeline.slownode} is on (HDFS-16348). With stock, DataNodes say in each
 * acknowledgement that the NameNode calls them slow, and the client leaves one out after so many in a row. Over the channel the
 * DataNode itself ends the block, by the same limit, and the client leaves it out as one that has failed. Used by one thread.
 */
final class SlowFrames {
    private final int most;
    private int inARow;

    /** @param conf of the DataNode */
    SlowFrames(Configuration conf) {
        this.most = conf.getInt(
                HdfsClientConfigKeys.DFS_CLIENT_MARK_SLOWNODE_AS_BADNODE_THRESHOLD_KEY,
                HdfsClientConfigKeys.DFS_CLIENT_MARK_SLOWNODE_AS_BADNODE_THRESHOLD_DEFAULT);
    }

    /**
     * One more frame.
     *
     * @throws IOException when the DataNode was slow for too many of them
     */
    void took(boolean slow) throws IOException {
        inARow = slow ? inARow + 1 : 0;
        if (slow && inARow >= most) {
            throw new IOException("a DataNode that is slow, as the NameNode says, leaves the pipeline after " + inARow
                    + " frames (dfs.pipeline.slownode)");
        }
    }
}
