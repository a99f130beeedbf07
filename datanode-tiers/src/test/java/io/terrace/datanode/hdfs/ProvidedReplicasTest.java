package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.dataset.DatasetWalk;
import io.terrace.datanode.heartbeat.ReplicaOffers.Offer;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.FileRegion;
import org.apache.hadoop.hdfs.server.common.blockaliasmap.BlockAliasMap;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi.FsVolumeReferences;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A block whose only replica is PROVIDED: a part of a file in another file system (HDFS-9806). */
@Tag("cluster")
class ProvidedReplicasTest {

    private static final int BYTES = 300_007;
    private static final StorageType[] TYPES = {StorageType.DISK, StorageType.SSD, StorageType.PROVIDED};

    @Test
    void providedReplica_isRead_butNeitherMovedNorOfferedNorCopiedIntoMemory() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_NAMENODE_PROVIDED_ENABLED, true);
        conf.setClass(DFSConfigKeys.DFS_PROVIDED_ALIASMAP_CLASS, Regions.class, BlockAliasMap.class);
        Regions.ALL.clear();
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, TYPES)) {
            org.apache.hadoop.fs.Path file = cluster.write("elsewhere", BYTES, 1);
            org.apache.hadoop.fs.Path local = cluster.write("here", BYTES, 1);
            BlockVersion provided = new TieredVolumes(cluster).version(file, 0);
            BlockVersion onDisk = new TieredVolumes(cluster).version(local, 0);
            provide(cluster, provided);

            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            List.of(cluster.located(file, 0).getStorageTypes()).equals(List.of(StorageType.PROVIDED)));
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("elsewhere", BYTES));

            TieredVolumes volumes = new TieredVolumes(cluster);
            MoveResult moved = volumes.move(provided, StorageTier.SSD);
            assertThat(moved.outcome()).isEqualTo(MoveOutcome.REFUSED);
            assertThat(moved.message()).isEqualTo("replicas on PROVIDED are not moved");

            List<Long> offered = new ArrayList<>();
            DatasetWalk walk = DatasetWalk.begin(
                    volumes.dataset(), provided.key().pool(), EnumSet.of(StorageTier.DISK, StorageTier.SSD));
            boolean more = true;
            while (more) {
                more = walk.next(
                        (Offer offer) -> offered.add(offer.block().key().blockId()));
            }
            assertThat(offered).containsExactly(onDisk.key().blockId());

            assertThat(cluster.promote(0, provided.key(), BYTES).outcome()).isNotEqualTo(MoveOutcome.DONE);
            assertThat(cluster.service(0).tier().isResident(provided.key())).isFalse();
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("elsewhere", BYTES));
        }
    }

    /** Takes the replica off the DataNode's volumes, and has it come from a file below its PROVIDED volume's directory. */
    private static void provide(TerraceCluster cluster, BlockVersion block) throws Exception {
        BlockKey key = block.key();
        ExtendedBlock local = new ExtendedBlock(key.pool(), key.blockId(), block.lengthBytes(), key.generationStamp());
        DataNode datanode = cluster.datanode(0);
        Path data = Path.of(datanode.getFSDataset().getBlockLocalPathInfo(local).getBlockPath());
        Path meta = Path.of(datanode.getFSDataset().getBlockLocalPathInfo(local).getMetaPath());
        Path external = Files.createDirectories(providedDirectory(datanode));
        cluster.stopPlugin(0);
        DataNodeProperties stopped = cluster.cluster().stopDataNode(0);
        Files.delete(meta);
        // The list of replicas that a DataNode leaves when it stops, which a start within five minutes believes.
        Path finalized = meta.getParent().getParent().getParent();
        Files.delete(finalized.resolveSibling("replicas"));
        Files.move(data, external.resolve("data"));
        Regions.ALL.add(new FileRegion(
                key.blockId(),
                new org.apache.hadoop.fs.Path(external.resolve("data").toUri()),
                0,
                block.lengthBytes(),
                key.generationStamp()));
        cluster.cluster().restartNameNode(false);
        cluster.cluster().restartDataNode(stopped, true);
        cluster.cluster().waitActive();
        cluster.startPlugin(0);
    }

    private static Path providedDirectory(DataNode datanode) throws IOException {
        try (FsVolumeReferences volumes = datanode.getFSDataset().getFsVolumeReferences()) {
            for (int i = 0; i < volumes.size(); i++) {
                if (volumes.get(i).getStorageType() == StorageType.PROVIDED) {
                    return Path.of(volumes.get(i).getBaseURI());
                }
            }
        }
        throw new AssertionError("no PROVIDED volume");
    }

    /** What is provided, known to the NameNode and the DataNode alike. */
    public static final class Regions extends BlockAliasMap<FileRegion> {

        static final List<FileRegion> ALL = new CopyOnWriteArrayList<>();

        @Override
        public Reader<FileRegion> getReader(Reader.Options options, String pool) {
            return new Reader<>() {
                @Override
                public Optional<FileRegion> resolve(Block block) {
                    return ALL.stream()
                            .filter(region -> region.getBlock().equals(block))
                            .findFirst();
                }

                @Override
                public Iterator<FileRegion> iterator() {
                    return ALL.iterator();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public Writer<FileRegion> getWriter(Writer.Options options, String pool) throws IOException {
            throw new IOException("nothing is written");
        }

        @Override
        public void refresh() {}

        @Override
        public void close() {}
    }
}
