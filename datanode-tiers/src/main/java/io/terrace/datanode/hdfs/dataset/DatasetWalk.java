package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.volume.StorageTiers;
import io.terrace.datanode.heartbeat.ReplicaOffers;
import io.terrace.datanode.heartbeat.ReplicaOffers.Offer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A walk over the finalised replicas on some volumes, a few of the directories that HDFS spreads them over at a time. The
 * directories say which replicas there may be, the replica map says what they are. It is locked for one look-up at a time, so
 * a walk over millions of replicas holds nobody up. For use by one thread.
 */
public final class DatasetWalk implements ReplicaOffers.Walk {

    private static final Logger LOG = LoggerFactory.getLogger(DatasetWalk.class);

    /** {@link DatanodeUtil#idToBlockDir} takes five bits of the id for each of two levels. */
    private static final int SUBDIRECTORIES = 32;

    private static final int LEVEL_BITS = 5;
    private static final int DIRECTORIES = SUBDIRECTORIES * SUBDIRECTORIES;

    /** Of one look. One directory may have more. */
    private static final int MOST_REPLICAS = 256;

    private static final int MOST_DIRECTORIES = 64;
    private static final int UPPER_SHIFT = 16;
    private static final int LOWER_SHIFT = 8;

    private final FsDatasetSpi<?> dataset;
    private final String pool;
    /** By storage id; the first one is being walked. */
    private final Deque<String> volumes = new ArrayDeque<>();

    private int directory;

    private DatasetWalk(FsDatasetSpi<?> dataset, String pool) {
        this.dataset = dataset;
        this.pool = pool;
    }

    /** A walk over the volumes of these tiers as they are now. */
    public static DatasetWalk begin(FsDatasetSpi<?> dataset, String pool, Set<StorageTier> tiers) {
        DatasetWalk walk = new DatasetWalk(dataset, pool);
        try (FsDatasetSpi.FsVolumeReferences references = dataset.getFsVolumeReferences()) {
            for (FsVolumeSpi volume : references) {
                if (volume instanceof FsVolumeImpl
                        && isWalked(volume)
                        && tiers.contains(StorageTiers.of(volume.getStorageType()))) {
                    walk.volumes.add(volume.getStorageID());
                }
            }
        } catch (IOException e) {
            LOG.debug("Letting the volumes go", e);
        }
        return walk;
    }

    private static boolean isWalked(FsVolumeSpi volume) {
        return !volume.isTransientStorage() && volume.getStorageType() != StorageType.PROVIDED;
    }

    @Override
    public boolean next(Consumer<Offer> each) {
        String storage = volumes.peek();
        if (storage == null) {
            return false;
        }
        try (FsVolumeReference reference = find(storage)) {
            if (reference != null && reference.getVolume() instanceof FsVolumeImpl volume) {
                look(volume, each);
            } else {
                directory = DIRECTORIES;
            }
        } catch (IOException e) {
            // A failing volume is found by stock's own checks; the walk goes on elsewhere.
            LOG.debug("Cannot walk over storage {}", storage, e);
            directory = DIRECTORIES;
        }
        if (directory >= DIRECTORIES) {
            directory = 0;
            volumes.remove();
        }
        return !volumes.isEmpty();
    }

    /** Other volumes may be removed while one is looked at, and while that takes long. */
    private @Nullable FsVolumeReference find(String storage) throws IOException {
        try (FsDatasetSpi.FsVolumeReferences references = dataset.getFsVolumeReferences()) {
            for (FsVolumeSpi volume : references) {
                if (volume.getStorageID().equals(storage)) {
                    return volume.obtainReference();
                }
            }
        }
        return null;
    }

    private void look(FsVolumeImpl volume, Consumer<Offer> each) throws IOException {
        int replicas = 0;
        for (int i = 0; i < MOST_DIRECTORIES && replicas < MOST_REPLICAS && directory < DIRECTORIES; i++) {
            replicas += look(volume, directory++, each);
        }
    }

    private int look(FsVolumeImpl volume, int number, Consumer<Offer> each) throws IOException {
        long id = ((long) (number >> LEVEL_BITS) << UPPER_SHIFT) | ((long) (number % SUBDIRECTORIES) << LOWER_SHIFT);
        String[] names = DatanodeUtil.idToBlockDir(volume.getFinalizedDir(pool), id)
                .list((File in, String name) -> Block.isBlockFilename(new File(name)));
        if (names == null) {
            return 0;
        }
        StorageTier tier = StorageTiers.of(volume.getStorageType());
        for (String name : names) {
            ReplicaInfo replica = replica(Block.filename2id(name));
            if (replica != null && volume.getStorageID().equals(replica.getStorageUuid())) {
                offer(replica, tier, each);
            }
        }
        return names.length;
    }

    @SuppressWarnings("deprecation") // the only look at a replica that the public interface has
    private @Nullable ReplicaInfo replica(long blockId) {
        return dataset.getReplica(pool, blockId) instanceof ReplicaInfo replica
                        && replica.getState() == ReplicaState.FINALIZED
                        && BlockType.fromBlockId(blockId) != BlockType.STRIPED
                ? replica
                : null;
    }

    private void offer(ReplicaInfo replica, StorageTier tier, Consumer<Offer> each) {
        try {
            // Not when it was accessed: the volume scanner reads all replicas, and file systems note reads once a day
            // or never.
            long writtenMs =
                    Files.getLastModifiedTime(Path.of(replica.getBlockURI())).toMillis();
            BlockKey key = new BlockKey(pool, replica.getBlockId(), replica.getGenerationStamp());
            each.accept(new Offer(new BlockVersion(key, replica.getNumBytes()), tier, writtenMs));
        } catch (IOException e) {
            LOG.debug("{} is gone", replica.getBlockURI(), e);
        }
    }
}
