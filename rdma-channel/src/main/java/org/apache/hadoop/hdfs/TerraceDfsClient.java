package org.apache.hadoop.hdfs;

import io.terrace.client.read.ReadRouter;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsPathHandle;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.tracing.TraceScope;
import org.jspecify.annotations.Nullable;

/**
 * A stock client whose streams look for memory first. It makes the same NameNode calls as stock: one getBlockLocations
 * for an open. Erasure-coded files get stock's own stream.
 *
 * <p>Touches package-private members of Hadoop 3.5: only {@link io.terrace.fs} uses it, inside one guard for
 * LinkageErrors.
 */
public final class TerraceDfsClient extends DFSClient {
    private final ReadRouter readRouter;
    private final @Nullable DfsClientConf readConf;

    /**
     * A client.
     *
     * @param conf the caller's own: stock looks into it later too, as for the provider of keys
     * @param readConf what the readers of blocks are set by
     */
    public TerraceDfsClient(
            URI nameNode,
            Configuration conf,
            Configuration readConf,
            FileSystem.Statistics statistics,
            ReadRouter readRouter)
            throws IOException {
        super(nameNode, conf, statistics);
        this.readRouter = readRouter;
        this.readConf = readConf == conf ? null : new DfsClientConf(readConf);
    }

    @Override
    public DfsClientConf getConf() {
        DfsClientConf own = readConf;
        return own == null ? super.getConf() : own;
    }

    /** Gives an initialised file system this client in place of its own, which is closed. */
    public void replaceClientOf(DistributedFileSystem fileSystem) throws IOException {
        DFSClient before = fileSystem.dfs;
        fileSystem.dfs = this;
        before.close();
    }

    @Override
    public DFSInputStream open(String src, int bufferSize, boolean verifyChecksum) throws IOException {
        checkOpen();
        try (TraceScope ignored = newPathTraceScope("newDFSInputStream", src)) {
            return stream(getLocatedBlocks(src, 0), src, verifyChecksum);
        }
    }

    @Override
    public DFSInputStream open(HdfsPathHandle handle, int bufferSize, boolean verifyChecksum) throws IOException {
        checkOpen();
        String src = handle.getPath();
        try (TraceScope ignored = newPathTraceScope("newDFSInputStream", src)) {
            HdfsLocatedFileStatus status = getLocatedFileInfo(src, true);
            handle.verify(status);
            return stream(status.getLocatedBlocks(), src, verifyChecksum);
        }
    }

    private DFSInputStream stream(LocatedBlocks blocks, String src, boolean verifyChecksum) throws IOException {
        if (blocks == null) {
            throw new IOException("Cannot open filename " + src);
        }
        if (blocks.getErasureCodingPolicy() != null) {
            return new DFSStripedInputStream(this, src, verifyChecksum, blocks.getErasureCodingPolicy(), blocks);
        }
        return new TerraceInputStream(this, src, verifyChecksum, blocks, readRouter);
    }
}
