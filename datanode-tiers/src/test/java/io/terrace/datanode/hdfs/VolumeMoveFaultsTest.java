package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.ReconfigurationException;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Moves between volumes of one mount, and where a volume fails or is missing, or where none may be made. */
@Tag("cluster")
class VolumeMoveFaultsTest {

    private static final int BYTES = 700_003;

    @Test
    void failingTarget_isChecked_andTheReplicaStays() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
        conf.set(DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, "0");
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("failing", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            FsVolumeImpl ssd = volumes.volume(StorageTier.SSD);
            replaceByFile(
                    Path.of(ssd.getBaseURI()).resolve("current/" + block.key().pool() + "/tmp"));
            MoveResult result = volumes.move(block, StorageTier.SSD);
            assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.FAILED);
            assertThat(result.message()).contains("cannot write");
            assertThat(result.tier()).isEqualTo(StorageTier.DISK);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.datanode(0).getFSDataset().getNumFailedVolumes() == 1);
            assertThat(volumes.files(block.key().blockId())).hasSize(2);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("failing", BYTES));
            result = volumes.move(block, StorageTier.SSD);
            assertThat(result.outcome()).isEqualTo(MoveOutcome.REFUSED);
            assertThat(result.message()).contains("no volume of ssd");
        }
    }

    private static void replaceByFile(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        Files.write(directory, new byte[0]);
    }

    @ParameterizedTest
    @EnumSource(
            value = MoveStep.class,
            names = {"RESERVED", "COPIED", "RENAMED"})
    void volumeRemovedAmidAMove_endsIt_andTakesReplicasOnceItIsAddedAgain(MoveStep at) throws Exception {
        try (TerraceCluster cluster =
                TerraceCluster.start(1, TerraceCluster.configuration(), StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("removed", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            String disk = "[DISK]" + volumes.volume(StorageTier.DISK).getBaseURI();
            CompletableFuture<Void> removed = new CompletableFuture<>();
            FsVolumeImpl ssd = volumes.volume(StorageTier.SSD);
            String added = "[SSD]" + ssd.getBaseURI();
            volumes.mover().onStep(step -> {
                if (step == at) {
                    new Thread(() -> {
                                try {
                                    cluster.datanode(0)
                                            .reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, disk);
                                    removed.complete(null);
                                } catch (ReconfigurationException e) {
                                    removed.completeExceptionally(e);
                                }
                            })
                            .start();
                    await().until(() -> isClosed(ssd));
                }
            });
            MoveResult result = volumes.move(block, StorageTier.SSD);
            assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.FAILED);
            assertThat(result.message()).contains("is being removed");
            removed.get(30, TimeUnit.SECONDS);
            assertThat(volumes.files(block.key().blockId())).hasSize(2);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("removed", BYTES));

            volumes.mover().onStep(step -> {});
            assertThat(volumes.move(block, StorageTier.SSD).message()).contains("no volume of ssd");
            // Added while the DataNode runs, it takes replicas at once.
            cluster.datanode(0).reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, disk + "," + added);
            assertThat(volumes.move(block, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
            volumes.awaitOneCopy(block.key().blockId(), StorageTier.SSD);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("removed", BYTES));
        }
    }

    @Test
    void oldFilesThatCouldNotBeRemoved_goWithTheDirectoryScan_andTheReplicaStaysWhereItWent() throws Exception {
        try (TerraceCluster cluster =
                TerraceCluster.start(1, TerraceCluster.configuration(), StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("left", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            Map<Path, byte[]> old = new HashMap<>();
            for (Path path : volumes.files(block.key().blockId())) {
                old.put(path, Files.readAllBytes(path));
            }
            assertThat(old).hasSize(2);
            assertThat(volumes.move(block, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
            volumes.awaitOneCopy(block.key().blockId(), StorageTier.SSD);
            for (Map.Entry<Path, byte[]> left : old.entrySet()) {
                Files.write(left.getKey(), left.getValue());
            }
            assertThat(volumes.files(block.key().blockId())).hasSize(4);
            DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
            volumes.awaitOneCopy(block.key().blockId(), StorageTier.SSD);
            volumes.awaitReported(file, StorageTier.SSD);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("left", BYTES));
        }
    }

    /** Of a copy that is not published yet, the scanner must not make a replica, nor take the old one for lost. */
    @Test
    void directoryScan_atEachStepOfAMove_changesNothing() throws Exception {
        try (TerraceCluster cluster =
                TerraceCluster.start(1, TerraceCluster.configuration(), StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("scanned", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            Set<MoveStep> scanned = EnumSet.noneOf(MoveStep.class);
            volumes.mover().onStep(step -> {
                scanned.add(step);
                assertThatCode(() -> DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0)))
                        .doesNotThrowAnyException();
            });
            for (StorageTier tier : List.of(StorageTier.SSD, StorageTier.DISK)) {
                MoveResult result = volumes.move(block, tier);
                assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.DONE);
                volumes.awaitOneCopy(block.key().blockId(), tier);
                volumes.awaitReported(file, tier);
                assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("scanned", BYTES));
            }
            assertThat(scanned).contains(MoveStep.PUBLISHED);
        }
    }

    @Test
    void sourceThatTurnsReadOnly_onceTheReplicaIsPublished_leavesService_andTheReplicaIsWhereItWent() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
        conf.set(DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, "0");
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("read-only", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            String disk = Path.of(volumes.volume(StorageTier.DISK).getBaseURI()).toString();
            // Root alone may mount, and root heeds no modes.
            assumeTrue(runs("mount", "--bind", disk, disk), "this process may mount");
            try {
                volumes.mover().onStep(step -> {
                    if (step == MoveStep.PUBLISHED) {
                        assertThat(runs("mount", "-o", "remount,bind,ro", disk)).isTrue();
                    }
                });
                MoveResult result = volumes.move(block, StorageTier.SSD);
                assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.DONE);
                assertThat(result.tier()).isEqualTo(StorageTier.SSD);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> cluster.datanode(0).getFSDataset().getNumFailedVolumes() == 1);
                volumes.awaitReported(file, StorageTier.SSD);
                volumes.awaitOneCopy(block.key().blockId(), StorageTier.SSD);
                assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("read-only", BYTES));
            } finally {
                assertThat(runs("umount", "-l", disk)).isTrue();
            }
        }
    }

    private static boolean runs(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean isClosed(FsVolumeImpl volume) {
        try {
            volume.obtainReference().close();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void diskAndArchiveOnOneMount_areLinked_asInStock() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_DATANODE_ALLOW_SAME_DISK_TIERING, true);
        conf.setDouble(DFSConfigKeys.DFS_DATANODE_RESERVE_FOR_ARCHIVE_DEFAULT_PERCENTAGE, 0.5);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.DISK, StorageType.ARCHIVE)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path file = cluster.write("linked", BYTES, 1);
            BlockVersion block = volumes.version(file, 0);
            Object inode = inode(cluster, file);
            for (StorageTier tier : new StorageTier[] {StorageTier.ARCHIVE, StorageTier.DISK}) {
                MoveResult result = volumes.move(block, tier);
                assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.DONE);
                assertThat(result.tier()).isEqualTo(tier);
                volumes.awaitOneCopy(block.key().blockId(), tier);
                assertThat(inode(cluster, file)).isEqualTo(inode);
                assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("linked", BYTES));
                volumes.awaitReported(file, tier);
            }
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(1);
            }
            assertThat(cluster.read(file)).hasSize(BYTES + 1);
        }
    }

    private static Object inode(TerraceCluster cluster, org.apache.hadoop.fs.Path file) throws IOException {
        Path data = cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
        return Files.getAttribute(data, "unix:ino");
    }

    @Test
    void whereDuplicatesStay_nothingMoves() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_DATANODE_DUPLICATE_REPLICA_DELETION, false);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            MoveResult result = volumes.move(cluster.write("stays", BYTES, 1), StorageTier.SSD);
            assertThat(result.outcome()).isEqualTo(MoveOutcome.REFUSED);
            assertThat(result.message()).contains(DFSConfigKeys.DFS_DATANODE_DUPLICATE_REPLICA_DELETION);
        }
    }

    @Test
    void replicaOnRamDisk_stays() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 4 << 20);
        NativeIO.POSIX.CacheManipulator locking = NativeIO.POSIX.getCacheManipulator();
        NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
        try (TerraceCluster cluster =
                TerraceCluster.start(1, conf, StorageType.RAM_DISK, StorageType.DISK, StorageType.SSD)) {
            TieredVolumes volumes = new TieredVolumes(cluster);
            org.apache.hadoop.fs.Path inMemory = new org.apache.hadoop.fs.Path("/lazy");
            EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.LAZY_PERSIST);
            try (FSDataOutputStream out = cluster.fs()
                    .create(
                            inMemory,
                            FsPermission.getFileDefault(),
                            flags,
                            4096,
                            (short) 1,
                            TerraceCluster.BLOCK_BYTES,
                            null)) {
                out.write(new byte[1000]);
            }
            assertThat(cluster.located(inMemory, 0).getStorageTypes()).containsExactly(StorageType.RAM_DISK);
            MoveResult result = volumes.move(inMemory, StorageTier.SSD);
            assertThat(result.outcome()).isEqualTo(MoveOutcome.REFUSED);
            assertThat(result.message()).contains("RAM_DISK");
        } finally {
            NativeIO.POSIX.setCacheManipulator(locking);
        }
    }
}
