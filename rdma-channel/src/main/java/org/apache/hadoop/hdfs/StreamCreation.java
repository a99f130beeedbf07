package org.apache.hadoop.hdfs;

import io.terrace.client.write.WriteClient;
import io.terrace.metrics.Metric;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.NSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.QuotaByStorageTypeExceededException;
import org.apache.hadoop.hdfs.protocol.SnapshotAccessControlException;
import org.apache.hadoop.hdfs.protocol.UnresolvedPathException;
import org.apache.hadoop.hdfs.server.namenode.RetryStartFileException;
import org.apache.hadoop.hdfs.server.namenode.SafeModeException;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.tracing.TraceScope;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * Creates a file and its output stream as stock's {@code DFSOutputStream.newStreamForCreate} does, which makes no other
 * stream than stock's.
 */
record StreamCreation(
        TerraceDfsClient client,
        String src,
        FsPermission masked,
        EnumSet<CreateFlag> flag,
        boolean createParent,
        short replication,
        long blockSize,
        @Nullable Progressable progress,
        DataChecksum checksum) {

    DFSOutputStream create(
            WriteClient writes,
            String @Nullable [] favoredNodes,
            @Nullable String ecPolicyName,
            @Nullable String storagePolicy)
            throws IOException {
        try (TraceScope ignored = client.newPathTraceScope("newStreamForCreate", src)) {
            HdfsFileStatus stat = createFile(ecPolicyName, storagePolicy);
            DFSOutputStream out = stream(writes, stat, favoredNodes);
            out.start();
            return out;
        }
    }

    private DFSOutputStream stream(WriteClient writes, HdfsFileStatus stat, String @Nullable [] favoredNodes)
            throws IOException {
        Metric why = whyStock(stat);
        if (why == null) {
            return new TerraceOutputStream(
                    writes, client.excludable(), client, src, stat, flag, progress, checksum, favoredNodes);
        }
        writes.leftToStock(why);
        return stat.getErasureCodingPolicy() != null
                ? new DFSStripedOutputStream(client, src, stat, flag, progress, checksum, favoredNodes)
                : new DFSOutputStream(client, src, stat, flag, progress, checksum, favoredNodes, true);
    }

    /** Null when the channel can write it. */
    private @Nullable Metric whyStock(HdfsFileStatus stat) {
        if (stat.getErasureCodingPolicy() != null) {
            return Metric.CLIENT_WRITE_FALLBACK_ERASURE_CODED;
        }
        if (stat.getReplication() > 1
                && !(StreamerStage.isKnown() && RestartingNodes.isKnown() && StockConnection.isKnown())) {
            return Metric.CLIENT_WRITE_FALLBACK_REPLICATION;
        }
        if (DataStreamer.isLazyPersist(stat)) {
            return Metric.CLIENT_WRITE_FALLBACK_LAZY_PERSIST;
        }
        return WriteClient.knows(checksum) ? null : Metric.CLIENT_WRITE_FALLBACK_CHECKSUM;
    }

    private HdfsFileStatus createFile(@Nullable String ecPolicyName, @Nullable String storagePolicy)
            throws IOException {
        CryptoProtocolVersion[] versions = DFSOutputStream.SUPPORTED_CRYPTO_VERSIONS;
        for (int retries = DFSOutputStream.CREATE_RETRY_COUNT; true; retries--) {
            try {
                return client.namenode.create(
                        src,
                        masked,
                        client.clientName,
                        new EnumSetWritable<>(flag),
                        createParent,
                        replication,
                        blockSize,
                        versions,
                        ecPolicyName,
                        storagePolicy);
            } catch (RemoteException e) {
                IOException cause = e.unwrapRemoteException(
                        AccessControlException.class,
                        DSQuotaExceededException.class,
                        QuotaByStorageTypeExceededException.class,
                        FileAlreadyExistsException.class,
                        FileNotFoundException.class,
                        ParentNotDirectoryException.class,
                        NSQuotaExceededException.class,
                        RetryStartFileException.class,
                        SafeModeException.class,
                        UnresolvedPathException.class,
                        SnapshotAccessControlException.class,
                        UnknownCryptoProtocolVersionException.class);
                if (!(cause instanceof RetryStartFileException)) {
                    throw cause;
                }
                if (retries == 0) {
                    throw new IOException("Too many retries because of encryption zone operations", cause);
                }
            }
        }
    }
}
