package io.terrace.datanode.hdfs.write;

import java.io.File;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.io.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes replicas for clients, or gives them those that another pipeline has left. The calling thread becomes their writer. */
final class ReplicaOpening {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaOpening.class);

    private ReplicaOpening() {}

    /**
     * Makes a new replica.
     *
     * @param block whose length is the most that it may get
     */
    static ReplicaHandler create(DataNode datanode, WriteRequest request, ExtendedBlock block, boolean sameHost)
            throws IOException {
        boolean lazyPersist = request.message().getAllowLazyPersist()
                && (sameHost || datanode.getDnConf().getAllowNonLocalLazyPersist());
        return datanode.getFSDataset()
                .createRbw(request.storageType(), request.storageId(), block, lazyPersist, request.generationStamp());
    }

    /**
     * Takes over a replica whose pipeline has failed; a writer that it still has is stopped. It gets the new generation stamp.
     *
     * <p>A replica that is finalised already is opened again: this DataNode had the whole block when another failed. Not with the
     * same stamp: then the NameNode takes the block for written, and counts on this replica.
     */
    static ReplicaHandler recover(DataNode datanode, WriteRequest request, ExtendedBlock block) throws IOException {
        FsDatasetSpi<?> dataset = datanode.getFSDataset();
        long leastBytes = request.message().getMinBytesRcvd();
        long mostBytes = request.message().getMaxBytesRcvd();
        try {
            return dataset.recoverRbw(block, request.generationStamp(), leastBytes, mostBytes);
        } catch (ReplicaNotFoundException e) {
            Replica replica = dataset.getReplica(block.getBlockPoolId(), block.getBlockId());
            if (replica == null
                    || replica.getState() != ReplicaState.FINALIZED
                    || replica.getGenerationStamp() >= request.generationStamp()
                    || replica.getNumBytes() < leastBytes
                    || replica.getNumBytes() > mostBytes) {
                throw e;
            }
            LOG.info("Opening {} again, which is finalised here and not everywhere", block);
            ReplicaHandler handler = dataset.recoverAppend(block, request.generationStamp(), replica.getNumBytes());
            ExtendedBlock reopened = new ExtendedBlock(block);
            reopened.setGenerationStamp(request.generationStamp());
            TerraceWriteAccess.receiving(
                    datanode, reopened, handler.getReplica().getStorageUuid());
            return handler;
        }
    }

    /** Finalises a replica whose pipeline failed after it had all bytes, with the new generation stamp. */
    static Replica close(DataNode datanode, WriteRequest request) throws IOException {
        return datanode.getFSDataset()
                .recoverClose(
                        request.block(),
                        request.generationStamp(),
                        request.message().getMinBytesRcvd());
    }

    /** Has the files of a replica that {@link #close} has finalised on the disk, and their names. */
    static void sync(DataNode datanode, ExtendedBlock block) throws IOException {
        Replica now = datanode.getFSDataset().getReplica(block.getBlockPoolId(), block.getBlockId());
        if (!(now instanceof ReplicaInfo replica)) {
            throw new ReplicaNotFoundException(block);
        }
        File data = new File(replica.getBlockURI());
        IOUtils.fsync(data);
        IOUtils.fsync(new File(replica.getMetadataURI()));
        IOUtils.fsync(data.getParentFile());
        datanode.getMetrics().incrFsyncCount();
    }

    /** Tells the NameNode of a replica that {@link #close} has finalised. */
    static void closed(DataNode datanode, WriteRequest request, Replica replica) {
        ExtendedBlock block = new ExtendedBlock(request.block());
        block.setGenerationStamp(request.generationStamp());
        block.setNumBytes(request.message().getMinBytesRcvd());
        TerraceWriteAccess.received(datanode, block, replica.getStorageUuid(), replica.isOnTransientStorage());
        LOG.info("Received {} of {} bytes in the recovery of its end", block, block.getNumBytes());
    }
}
