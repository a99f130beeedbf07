package io.terrace.datanode.hdfs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.Grant;
import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients of this host are granted replicas on NVM as they are, without a copy in memory. No other host is served. */
@Tag("cluster")
class NvmLocalReadsTest extends LocalReadContract {

    @Override
    TerraceCluster start(Configuration conf) throws IOException {
        TerraceCluster started = TerraceCluster.start(1, conf, StorageType.NVDIMM, StorageType.DISK);
        started.fs().mkdirs(new org.apache.hadoop.fs.Path("/nvm"));
        started.fs().setStoragePolicy(new org.apache.hadoop.fs.Path("/nvm"), "ALL_NVDIMM");
        return started;
    }

    @Override
    StorageTier tier() {
        return StorageTier.NVM;
    }

    @Override
    TierGrantService grantService() {
        return requireNonNull(requireNonNull(cluster.service(0).nvm()).localGrantService());
    }

    /** The first reader is stock's; the replica is verified then. */
    @Override
    void offer(org.apache.hadoop.fs.Path file) {}

    private static boolean isOf(Path link, BlockKey key) {
        return link.getFileName().toString().startsWith("blk_" + key.blockId() + "_" + key.generationStamp() + "_");
    }

    @Override
    boolean keeps(BlockKey key) throws IOException {
        try (Stream<Path> files = Files.list(extents())) {
            return files.anyMatch(link -> isOf(link, key));
        }
    }

    /** On the only volume of NVM. */
    private Path extents() throws IOException {
        return Path.of(new TieredVolumes(cluster).volume(StorageTier.NVM).getBaseURI())
                .resolve("terrace/extents");
    }

    @Override
    Path link(Grant grant) {
        return Path.of(grant.linkName());
    }

    @Test
    void link_isTheReplica_outsideOfTheVolume_untilTheClientOpenedIt() throws Exception {
        org.apache.hadoop.fs.Path file = granted("linked", 1000, client("file system"));
        Path links = cluster.nvmLocalDir(0).resolve("links");
        // A grant that an earlier client gave up goes when the DataNode hears of that.
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(links).isEmptyDirectory());
        Grant grant = hold(file);
        assertThat(link(grant)).hasParent(links.toRealPath());
        assertThat(Files.isSameFile(
                        link(grant),
                        cluster.cluster()
                                .getBlockFile(0, cluster.located(file, 0).getBlock())
                                .toPath()))
                .isTrue();
        Files.delete(link(grant));
        release(grant);
    }

    @Test
    void memoryCopy_goesFirst_andTheReplicaIsGrantedAgainWhenItIsGone() throws Exception {
        int bytes = TerraceCluster.BLOCK_BYTES;
        org.apache.hadoop.fs.Path file = granted("promoted", bytes, client("file system"));
        BlockKey key = cluster.key(file, 0);
        cluster.promote(0, key, bytes);
        await().atMost(PATIENCE).until(() -> !keeps(key));
        long all = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
        long onNvm = grantedBytes();
        await().atMost(PATIENCE).until(() -> {
            read(client("file system"), file);
            return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) - all >= bytes;
        });
        assertThat(grantedBytes()).isEqualTo(onNvm);
        cluster.service(0).tier().drop(key, RetireCause.ORDERED, System.nanoTime());
        awaitGranted(client("file system"), file, bytes);
    }

    @Test
    void replicaThatMovesAway_isReadFromItsNewVolume_andGrantedAgainWhenItIsBack() throws Exception {
        int bytes = 300_000;
        org.apache.hadoop.fs.Path file = granted("moving", bytes, client("file system"));
        BlockKey key = cluster.key(file, 0);
        TieredVolumes volumes = new TieredVolumes(cluster);
        Grant grant = hold(file);
        volumes.move(file, StorageTier.DISK);
        assertThat(Files.readAllBytes(link(grant))).isEqualTo(contents("moving", bytes));
        assertThat(read(client("file system"), file)).isEqualTo(contents("moving", bytes));
        Files.delete(link(grant));
        release(grant);
        await().atMost(PATIENCE).until(() -> !keeps(key));
        volumes.move(file, StorageTier.NVM);
        awaitGranted(client("file system"), file, bytes);
    }

    /** Others could write what they are granted: the link has the block file's mode. */
    @Test
    void replicaThatOthersCouldWrite_isNotGranted() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write(directory() + "writable", 1000, 1);
        Path replica = cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
        Files.setPosixFilePermissions(replica, PosixFilePermissions.fromString("rw-rw-r--"));
        long notShown = cluster.figure(0, Metric.NVM_LOCAL_NOT_SHOWN);
        long granted = grantedBytes();
        read(client("file system"), file);
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_LOCAL_NOT_SHOWN) == notShown + 1);
        for (int i = 0; i < 5; i++) {
            assertThat(read(client("file system"), file)).isEqualTo(contents("writable", 1000));
        }
        assertThat(grantedBytes()).isEqualTo(granted);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(replica)))
                .isEqualTo("rw-rw-r--");
    }
}
