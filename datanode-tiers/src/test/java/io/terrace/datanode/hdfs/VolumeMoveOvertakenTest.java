package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Moves between volumes, overtaken at each of their steps by whatever else changes a replica. */
@Tag("cluster")
class VolumeMoveOvertakenTest extends VolumeMoveFixture {

    private interface Change {
        void make() throws Exception;
    }

    /** Moves the file's block to SSD, and makes the change at the step. */
    private static MoveResult moveOvertaken(org.apache.hadoop.fs.Path file, MoveStep at, Change change)
            throws Exception {
        return moveOvertaken(file, at, change, Duration.ofSeconds(30));
    }

    /** As above, but goes on after that time if the change waits for the move. */
    private static MoveResult moveOvertaken(
            org.apache.hadoop.fs.Path file, MoveStep at, Change change, Duration patience) throws Exception {
        BlockVersion block = volumes.version(file, 0);
        CompletableFuture<Void> changed = new CompletableFuture<>();
        volumes.mover().onStep(step -> {
            if (step == at) {
                Thread thread = new Thread(
                        () -> {
                            try {
                                change.make();
                                changed.complete(null);
                            } catch (Exception | AssertionError e) {
                                changed.completeExceptionally(e);
                            }
                        },
                        "change");
                thread.start();
                try {
                    changed.get(patience.toMillis(), TimeUnit.MILLISECONDS);
                } catch (TimeoutException | ExecutionException e) {
                    // It waits for the move, or its error is thrown below.
                } catch (InterruptedException e) {
                    throw new CompletionException(e);
                }
            }
        });
        MoveResult result = volumes.move(block, StorageTier.SSD);
        changed.get(30, TimeUnit.SECONDS);
        volumes.mover().onStep(step -> {});
        return result;
    }

    private static boolean isBeforePublish(MoveStep step) {
        return step.compareTo(MoveStep.PUBLISHED) < 0;
    }

    private static void outcome(MoveResult result, MoveStep step, MoveOutcome before) {
        assertThat(result.outcome())
                .as("%s at %s", result, step)
                .isEqualTo(isBeforePublish(step) ? before : MoveOutcome.DONE);
    }

    private static StorageTier place(MoveStep step) {
        return isBeforePublish(step) ? StorageTier.DISK : StorageTier.SSD;
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void append_goesFirst_andKeepsEveryByte(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("append" + step, BYTES, 1);
        MoveResult result = moveOvertaken(file, step, () -> {
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(7);
            }
        });
        outcome(result, step, MoveOutcome.CHANGED);
        byte[] expected = Arrays.copyOf(TerraceCluster.contents("append" + step, BYTES), BYTES + 1);
        expected[BYTES] = 7;
        assertThat(cluster.read(file)).isEqualTo(expected);
        volumes.awaitOneCopy(cluster.key(file, 0).blockId(), place(step));
        volumes.assertNothingReserved();
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void truncate_whichRecoversTheBlock_goesFirst(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("truncate" + step, BYTES, 1);
        MoveResult result = moveOvertaken(file, step, () -> {
            cluster.fs().truncate(file, 1000);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.fs().getClient().isFileClosed(file.toString()));
        });
        // The recovery may come to the DataNode only after the step.
        assertThat(result.outcome()).isIn(MoveOutcome.CHANGED, MoveOutcome.DONE);
        byte[] expected = Arrays.copyOf(TerraceCluster.contents("truncate" + step, BYTES), 1000);
        assertThat(cluster.read(file)).isEqualTo(expected);
        volumes.awaitOneCopy(
                cluster.key(file, 0).blockId(),
                result.outcome() == MoveOutcome.DONE ? StorageTier.SSD : StorageTier.DISK);
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void recoveryThatBegins_goesFirst(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("recovery" + step, BYTES, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        long recoveryId = block.getGenerationStamp() + 1000;
        MoveResult result = moveOvertaken(file, step, () -> {
            volumes.dataset().initReplicaRecovery(new RecoveringBlock(block, null, recoveryId));
            // A whole recovery leaves the same object in the map, with another stamp.
            volumes.dataset().updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), BYTES);
        });
        outcome(result, step, MoveOutcome.CHANGED);
        volumes.awaitOneCopy(block.getBlockId(), place(step));
        ExtendedBlock recovered = new ExtendedBlock(block);
        recovered.setGenerationStamp(recoveryId);
        assertThat(volumes.dataset().isValidBlock(recovered)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void delete_goesFirst_andLeavesNoFile(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("delete" + step, BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        Block block = cluster.located(file, 0).getBlock().getLocalBlock();
        MoveResult result =
                moveOvertaken(file, step, () -> volumes.dataset().invalidate(key.pool(), new Block[] {block}));
        outcome(result, step, MoveOutcome.CHANGED);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(volumes.files(key.blockId())).isEmpty());
        assertThat(volumes.dataset().getReplicaString(key.pool(), key.blockId()))
                .isEqualTo("null");
        volumes.assertNothingReserved();
        cluster.fs().delete(file, false);
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void deleteOfTheFile_leavesNoFile(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("remove" + step, BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        moveOvertaken(file, step, () -> cluster.fs().delete(file, false));
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(volumes.files(key.blockId())).isEmpty());
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void moveOfStock_goesFirst(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("stock" + step, BYTES, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        boolean[] moved = {false};
        MoveResult result = moveOvertaken(
                file,
                step,
                () -> {
                    try {
                        volumes.dataset().moveBlockAcrossStorage(block, StorageType.ARCHIVE, null);
                        moved[0] = true;
                    } catch (IOException e) {
                        // Too late to go first: the replica that it was told to move is somewhere else.
                        assertThat(isBeforePublish(step)).as("%s", e).isFalse();
                    }
                },
                Duration.ofSeconds(1));
        outcome(result, step, MoveOutcome.CHANGED);
        volumes.awaitOneCopy(block.getBlockId(), moved[0] ? StorageTier.ARCHIVE : StorageTier.SSD);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("stock" + step, BYTES));
        volumes.assertNothingReserved();
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void moveOfDiskBalancer_goesFirst(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("balancer" + step, BYTES, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        boolean[] moved = {false};
        moveOvertaken(
                file,
                step,
                () -> {
                    try {
                        volumes.dataset().moveBlockAcrossVolumes(block, volumes.volume(StorageTier.ARCHIVE));
                        moved[0] = true;
                    } catch (IOException e) {
                        assertThat(isBeforePublish(step)).as("%s", e).isFalse();
                    }
                },
                Duration.ofSeconds(1));
        volumes.awaitOneCopy(block.getBlockId(), moved[0] ? StorageTier.ARCHIVE : StorageTier.SSD);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("balancer" + step, BYTES));
        volumes.assertNothingReserved();
    }

    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void secondMoveOfOurs_isRefused(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("second" + step, BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        MoveResult result = moveOvertaken(file, step, () -> {
            MoveResult second = volumes.move(block, StorageTier.NVM);
            assertThat(second.outcome()).isEqualTo(MoveOutcome.REFUSED);
        });
        assertThat(result.outcome()).isEqualTo(MoveOutcome.DONE);
        volumes.awaitOneCopy(block.key().blockId(), StorageTier.SSD);
    }

    /** While both copies are there it would remove one of them, perhaps the one that the map has. */
    @ParameterizedTest
    @EnumSource(MoveStep.class)
    void directoryScan_removesNothing(MoveStep step) throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("scan" + step, BYTES, 1);
        MoveResult result = moveOvertaken(file, step, () -> DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0)));
        assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.DONE);
        DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
        volumes.awaitOneCopy(cluster.key(file, 0).blockId(), StorageTier.SSD);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("scan" + step, BYTES));
    }

    /** What is left by a crash after the old data file was removed and before its meta file was. */
    @Test
    void metaFileThatACrashLeft_isRemovedByTheDirectoryScan() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("crashed", BYTES, 1);
        long blockId = cluster.key(file, 0).blockId();
        Path meta = volumes.files(blockId).stream()
                .filter(path -> path.toString().endsWith(".meta"))
                .findFirst()
                .orElseThrow();
        byte[] sums = Files.readAllBytes(meta);
        assertThat(volumes.move(file, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
        volumes.awaitOneCopy(blockId, StorageTier.SSD);
        Files.write(meta, sums);
        DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
        volumes.awaitOneCopy(blockId, StorageTier.SSD);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("crashed", BYTES));
    }

    /** A deletion that was asked for before the move began, and that runs when the replica is on another volume. */
    @Test
    void deleteThatWaited_findsTheReplicaWhereItIs() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("waited", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        Block block = cluster.located(file, 0).getBlock().getLocalBlock();
        CompletableFuture<Void> moved = new CompletableFuture<>();
        DataNodeFaultInjector before = DataNodeFaultInjector.get();
        DataNodeFaultInjector.set(new DataNodeFaultInjector() {
            @Override
            public void delayDeleteReplica() {
                moved.join();
            }
        });
        try {
            volumes.dataset().invalidate(key.pool(), new Block[] {block});
            assertThat(volumes.move(file, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
        } finally {
            moved.complete(null);
            DataNodeFaultInjector.set(before);
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(volumes.files(key.blockId())).isEmpty());
        cluster.fs().delete(file, false);
    }
}
