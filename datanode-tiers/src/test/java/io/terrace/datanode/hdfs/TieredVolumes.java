package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.datanode.hdfs.volume.ReplicaMover;
import io.terrace.datanode.hdfs.volume.StorageTiers;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi.FsVolumeReferences;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;

/** The replicas of a cluster's first DataNode, which has volumes of several types, and moves of them. */
record TieredVolumes(TerraceCluster cluster) {

    static final StorageType[] TYPES = {StorageType.DISK, StorageType.SSD, StorageType.ARCHIVE, StorageType.NVDIMM};

    ObservedDataset dataset() {
        return (ObservedDataset) cluster.datanode(0).getFSDataset();
    }

    ReplicaMover mover() {
        return dataset().mover();
    }

    BlockVersion version(org.apache.hadoop.fs.Path file, int index) throws IOException {
        return new BlockVersion(
                cluster.key(file, index),
                cluster.located(file, index).getBlock().getNumBytes());
    }

    MoveResult move(BlockVersion block, StorageTier to) {
        return mover().move(block, to, new VerifiedCopy(TokenBucket.ofSystem(0)), () -> true);
    }

    MoveResult move(org.apache.hadoop.fs.Path file, StorageTier to) throws IOException {
        return move(version(file, 0), to);
    }

    FsVolumeImpl volume(StorageTier tier) throws IOException {
        try (FsVolumeReferences volumes = dataset().getFsVolumeReferences()) {
            for (int i = 0; i < volumes.size(); i++) {
                if (volumes.get(i).getStorageType() == StorageTiers.volumesOf(tier)) {
                    return (FsVolumeImpl) volumes.get(i);
                }
            }
        }
        throw new AssertionError("no volume of " + tier);
    }

    /** All files of the block, on whatever volume: data and meta, finalised and temporary. */
    List<Path> files(long blockId) throws IOException {
        List<Path> files = new ArrayList<>();
        try (FsVolumeReferences volumes = dataset().getFsVolumeReferences()) {
            for (int i = 0; i < volumes.size(); i++) {
                try (Stream<Path> all = Files.walk(Path.of(volumes.get(i).getBaseURI()))) {
                    all.filter(file -> file.getFileName().toString().matches("blk_" + blockId + "(_\\d+\\.meta)?"))
                            .forEach(files::add);
                }
            }
        }
        return files;
    }

    /** One data and one meta file, on a volume of that tier, and nothing reserved anywhere. */
    void awaitOneCopy(long blockId, StorageTier tier) throws IOException {
        Path volume = Path.of(volume(tier).getBaseURI());
        await().alias("one copy of " + blockId + " on " + tier)
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(files(blockId))
                        .hasSize(2)
                        .allSatisfy(file -> assertThat(file).startsWith(volume))
                        .noneSatisfy(file -> assertThat(file.toString()).contains("/tmp/")));
    }

    void assertNothingReserved() throws IOException {
        for (StorageType type : TYPES) {
            FsVolumeImpl volume = volume(StorageTiers.of(type));
            assertThat(volume.getReservedForReplicas())
                    .as("reserved on %s", type)
                    .isZero();
        }
    }

    /** What the NameNode believes of all blocks of the file. */
    void awaitReported(org.apache.hadoop.fs.Path file, StorageTier tier) {
        await().alias(file + " on " + tier)
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () -> cluster
                                .fs()
                                .getClient()
                                .getLocatedBlocks(file.toString(), 0, Long.MAX_VALUE)
                                .getLocatedBlocks()
                                .stream()
                                .map(LocatedBlock::getStorageTypes)
                                .allMatch(types -> types.length == 1 && types[0] == StorageTiers.volumesOf(tier)));
    }
}
