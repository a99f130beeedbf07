package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.volume.ReplicaLock;
import io.terrace.datanode.hdfs.volume.StorageTiers;
import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.datanode.nvm.NvmReplica;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaInputStreams;
import org.apache.hadoop.util.AutoCloseableLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The finalised replicas of a DataNode's dataset, as sources of memory copies and as extents on NVM.
 *
 * <p>Not eligible: replicas under construction, on transient or provided storage, and parts of erasure-coded blocks.
 * Thread-safe.
 */
public final class DatasetReplicas implements ReplicaSource, NvmReplica.Look {

    private static final Logger LOG = LoggerFactory.getLogger(DatasetReplicas.class);

    private final DataNode datanode;
    private final FsDatasetSpi<?> dataset;
    /** Where pages are dropped: dirty ones are written first, which may take as long as the disk likes. */
    private final Executor pageDropper;

    /** The replicas of this dataset. */
    public DatasetReplicas(DataNode datanode, FsDatasetSpi<?> dataset, Executor pageDropper) {
        this.pageDropper = pageDropper;
        this.datanode = datanode;
        this.dataset = dataset;
    }

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        ReplicaInfo replica = eligible(pool, blockId);
        return replica == null ? null : version(pool, replica);
    }

    @Override
    public @Nullable NvmReplica onNvm(String pool, long blockId) {
        ReplicaInfo replica = eligible(pool, blockId);
        if (replica == null || replica.getVolume().getStorageType() != StorageType.NVDIMM) {
            return null;
        }
        return new NvmReplica(
                version(pool, replica), Path.of(replica.getVolume().getBaseURI()), Path.of(replica.getBlockURI()));
    }

    /** The replica of a block and its tier; null when it is gone or part of an erasure-coded block, which stays. */
    public HeartbeatExchange.ReplicaLook.@Nullable Seen look(String pool, long blockId) {
        ReplicaInfo replica = replica(pool, blockId);
        boolean striped = BlockType.fromBlockId(blockId) == BlockType.STRIPED;
        if (replica == null || replica.getVolume() == null || striped) {
            return null;
        }
        StorageTier tier = StorageTiers.of(replica.getVolume().getStorageType());
        return new HeartbeatExchange.ReplicaLook.Seen(version(pool, replica), tier);
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        BlockKey key = block.key();
        ReplicaInfo replica = eligible(key.pool(), key.blockId());
        if (replica == null) {
            throw new FileNotFoundException("no finalised replica of " + key);
        }
        ReplicaInputStreams streams = dataset.getTmpInputStreams(extendedBlock(block), 0, 0);
        if (streams.getDataIn() instanceof FileInputStream data) {
            return new OpenFiles(streams, data, replica.getBlockURI(), block.lengthBytes(), pageDropper);
        }
        streams.close();
        throw new IOException("the replica of " + key + " is not a local file");
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        BlockKey key = block.key();
        ReplicaInfo before = replica(key.pool(), key.blockId());
        if (before == null) {
            return false;
        }
        try (AutoCloseableLock ignored =
                ReplicaLock.read(dataset, key.pool(), before.getStorageUuid(), key.blockId())) {
            ReplicaInfo now = eligible(key.pool(), key.blockId());
            return now != null
                    && now.getStorageUuid().equals(before.getStorageUuid())
                    && version(key.pool(), now).equals(block)
                    && action.getAsBoolean();
        }
    }

    @Override
    public void reportCorrupt(BlockVersion block) {
        ExtendedBlock extendedBlock = extendedBlock(block);
        try {
            FsVolumeSpi volume = dataset.getVolume(extendedBlock);
            if (volume != null) {
                datanode.reportBadBlocks(extendedBlock, volume);
            }
        } catch (IOException e) {
            LOG.warn("Cannot report the corrupt replica of {}", block.key(), e);
        }
    }

    private @Nullable ReplicaInfo eligible(String pool, long blockId) {
        ReplicaInfo replica = replica(pool, blockId);
        if (replica == null || replica.getState() != ReplicaState.FINALIZED) {
            return null;
        }
        FsVolumeSpi volume = replica.getVolume();
        boolean durableFile =
                volume != null && !volume.isTransientStorage() && volume.getStorageType() != StorageType.PROVIDED;
        return durableFile && BlockType.fromBlockId(blockId) != BlockType.STRIPED ? replica : null;
    }

    @SuppressWarnings("deprecation") // the only look at a replica that the public interface has
    private @Nullable ReplicaInfo replica(String pool, long blockId) {
        return dataset.getReplica(pool, blockId) instanceof ReplicaInfo replica ? replica : null;
    }

    private static BlockVersion version(String pool, ReplicaInfo replica) {
        BlockKey key = new BlockKey(pool, replica.getBlockId(), replica.getGenerationStamp());
        return new BlockVersion(key, replica.getNumBytes());
    }

    private static ExtendedBlock extendedBlock(BlockVersion block) {
        BlockKey key = block.key();
        return new ExtendedBlock(key.pool(), new Block(key.blockId(), block.lengthBytes(), key.generationStamp()));
    }

    private record OpenFiles(
            ReplicaInputStreams streams, FileInputStream dataStream, URI file, long lengthBytes, Executor pageDropper)
            implements OpenReplica {

        @Override
        public FileChannel data() {
            return dataStream.getChannel();
        }

        @Override
        public ReadableByteChannel meta() {
            InputStream meta = streams.getChecksumIn();
            return meta instanceof FileInputStream file ? file.getChannel() : Channels.newChannel(meta);
        }

        @Override
        public void dropPages() {
            pageDropper.execute(() -> PageCache.drop(file, lengthBytes));
        }

        @Override
        public void close() {
            streams.close();
        }
    }
}
