package org.apache.hadoop.hdfs;

import io.terrace.client.read.ReadRouter;
import io.terrace.client.write.WriteClient;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.apache.hadoop.hdfs.client.impl.LeaseRenewer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsPathHandle;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.tracing.TraceScope;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * A stock client whose streams look for memory first, and write over the channel of the DataNodes where that is on. It
 * makes the same NameNode calls as stock: one getBlockLocations for an open. Erasure-coded files get stock's own streams.
 *
 * <p>Touches package-private members of Hadoop 3.5: only {@link io.terrace.fs} uses it, inside one guard for
 * LinkageErrors.
 */
public final class TerraceDfsClient extends DFSClient {
    private final ReadRouter readRouter;
    private final @Nullable WriteClient writes;
    private final ExcludableNodes excludable = new ExcludableNodes();
    private final @Nullable DfsClientConf ownConf;

    /** Whether files can be written over the channel: Hadoop 3.4's streamer is one loop, of which no step can be replaced. */
    public static boolean canReplaceStreamer() {
        return Arrays.stream(DataStreamer.class.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals("work"));
    }

    /**
     * A client.
     *
     * @param conf the caller's own: stock looks into it later too, as for the provider of keys
     * @param ownConf what its streams are set by
     * @param writes how files are written; null for stock's way
     */
    public TerraceDfsClient(
            URI nameNode,
            Configuration conf,
            Configuration ownConf,
            FileSystem.Statistics statistics,
            ReadRouter readRouter,
            @Nullable WriteClient writes)
            throws IOException {
        super(nameNode, conf, statistics);
        this.readRouter = readRouter;
        this.writes = writes;
        this.ownConf = ownConf == conf ? null : new DfsClientConf(ownConf);
    }

    @Override
    public DfsClientConf getConf() {
        DfsClientConf own = ownConf;
        return own == null ? super.getConf() : own;
    }

    @Override
    public LocatedBlocks getLocatedBlocks(String src, long start, long length) throws IOException {
        return ordered(super.getLocatedBlocks(src, start, length));
    }

    private LocatedBlocks ordered(LocatedBlocks blocks) {
        if (blocks != null) {
            readRouter.order(blocks, this::distance);
        }
        return blocks;
    }

    /** As stock's context knows it; the highest number where it does not. */
    int distance(DatanodeInfo datanode) {
        try {
            return getClientContext().getNetworkDistance(datanode);
        } catch (IOException e) {
            return Integer.MAX_VALUE;
        }
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
            return stream(ordered(status.getLocatedBlocks()), src, verifyChecksum);
        }
    }

    @Override
    public DFSOutputStream create(
            String src,
            FsPermission permission,
            EnumSet<CreateFlag> flag,
            boolean createParent,
            short replication,
            long blockSize,
            Progressable progress,
            int bufferSize,
            ChecksumOpt checksumOpt,
            InetSocketAddress[] favoredNodes,
            String ecPolicyName,
            String storagePolicy)
            throws IOException {
        WriteClient client = writes;
        if (client == null) {
            return super.create(
                    src,
                    permission,
                    flag,
                    createParent,
                    replication,
                    blockSize,
                    progress,
                    bufferSize,
                    checksumOpt,
                    favoredNodes,
                    ecPolicyName,
                    storagePolicy);
        }
        checkOpen();
        FsPermission masked = FsCreateModes.applyUMask(
                permission == null ? FsPermission.getFileDefault() : permission,
                super.getConf().getUMask());
        StreamCreation file = new StreamCreation(
                this, src, masked, flag, createParent, replication, blockSize, progress, checksum(checksumOpt));
        return leased(file.create(client, names(favoredNodes), ecPolicyName, storagePolicy));
    }

    @Override
    public DFSOutputStream primitiveCreate(
            String src,
            FsPermission absPermission,
            EnumSet<CreateFlag> flag,
            boolean createParent,
            short replication,
            long blockSize,
            Progressable progress,
            int bufferSize,
            ChecksumOpt checksumOpt)
            throws IOException {
        WriteClient client = writes;
        if (client == null || isAppend(flag)) {
            countAppend(flag);
            return super.primitiveCreate(
                    src, absPermission, flag, createParent, replication, blockSize, progress, bufferSize, checksumOpt);
        }
        checkOpen();
        CreateFlag.validate(flag);
        StreamCreation file = new StreamCreation(
                this, src, absPermission, flag, createParent, replication, blockSize, progress, checksum(checksumOpt));
        return leased(file.create(client, null, null, null));
    }

    @Override
    public HdfsDataOutputStream append(
            String src,
            int bufferSize,
            EnumSet<CreateFlag> flag,
            Progressable progress,
            FileSystem.Statistics statistics)
            throws IOException {
        countAppend(flag);
        return super.append(src, bufferSize, flag, progress, statistics);
    }

    @Override
    public HdfsDataOutputStream append(
            String src,
            int bufferSize,
            EnumSet<CreateFlag> flag,
            Progressable progress,
            FileSystem.Statistics statistics,
            InetSocketAddress[] favoredNodes)
            throws IOException {
        countAppend(flag);
        return super.append(src, bufferSize, flag, progress, statistics, favoredNodes);
    }

    ExcludableNodes excludable() {
        return excludable;
    }

    private void countAppend(EnumSet<CreateFlag> flag) {
        WriteClient client = writes;
        if (client != null && isAppend(flag)) {
            client.leftToStock(Metric.CLIENT_WRITE_FALLBACK_APPEND);
        }
    }

    /** No flags at all are refused where stock refuses them. */
    private static boolean isAppend(@Nullable EnumSet<CreateFlag> flag) {
        return flag != null && flag.contains(CreateFlag.APPEND);
    }

    private DataChecksum checksum(@Nullable ChecksumOpt option) throws IOException {
        return super.getConf().createChecksum(option);
    }

    private static String @Nullable [] names(InetSocketAddress @Nullable [] nodes) {
        return nodes == null
                ? null
                : Arrays.stream(nodes)
                        .map(node -> node.getHostName() + ":" + node.getPort())
                        .toArray(String[]::new);
    }

    /** As stock does it, whose own method is private. */
    private DFSOutputStream leased(DFSOutputStream out) throws IOException {
        putFileBeingWritten(out.getUniqKey(), out);
        LeaseRenewer renewer = getLeaseRenewer();
        if (!renewer.put(this)) {
            LeaseRenewer.remove(renewer);
            getLeaseRenewer().put(this);
        }
        return out;
    }

    private DFSInputStream stream(LocatedBlocks blocks, String src, boolean verifyChecksum) throws IOException {
        if (blocks == null) {
            throw new IOException("Cannot open filename " + src);
        }
        if (blocks.getErasureCodingPolicy() != null) {
            return new DFSStripedInputStream(this, src, verifyChecksum, blocks.getErasureCodingPolicy(), blocks);
        }
        return new TerraceInputStream(this, src, verifyChecksum, blocks, readRouter, this::distance);
    }
}
