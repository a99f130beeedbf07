package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.protocol.MoveOutcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockPinningException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas that a range of tiers keeps, and others who want to move them. */
@Tag("cluster")
class MoveGuardTest extends VolumeMoveFixture {

    private final AtomicInteger refused = new AtomicInteger();

    @BeforeEach
    void guard() {
        volumes.mover().guard(refused::incrementAndGet);
    }

    @AfterEach
    void noGuard() {
        volumes.mover().guard(null);
    }

    private static FsDatasetSpi<?> dataset() {
        return volumes.dataset();
    }

    private static BlockVersion kept(org.apache.hadoop.fs.Path file) throws Exception {
        BlockVersion block = volumes.version(file, 0);
        assertThat(volumes.move(block, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
        volumes.mover().keep(block, true);
        return block;
    }

    @Test
    void keptReplica_isRefusedToOthers_andMovedByOurs() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("kept", BYTES, 1);
        BlockVersion version = kept(file);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        assertThatThrownBy(() -> dataset().moveBlockAcrossStorage(block, StorageType.DISK, null))
                .isInstanceOf(BlockPinningException.class)
                .hasMessageContaining("placementctl release");
        assertThat(dataset().getPinning(block)).isTrue();
        assertThat(refused).hasValue(2);
        volumes.awaitOneCopy(version.key().blockId(), StorageTier.SSD);
        assertThat(volumes.move(version, StorageTier.NVM).outcome()).isEqualTo(MoveOutcome.DONE);
    }

    @Test
    void replica_thatNothingKeepsAnyMore_isAnybodys() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("home", BYTES, 1);
        volumes.mover().keep(kept(file), false);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        assertThat(dataset().getPinning(block)).isFalse();
        dataset().moveBlockAcrossStorage(block, StorageType.DISK, null);
        volumes.awaitOneCopy(block.getBlockId(), StorageTier.DISK);
        assertThat(refused).hasValue(0);
    }

    @Test
    void withoutTheGuard_nobodyIsRefused() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("off", BYTES, 1);
        kept(file);
        volumes.mover().guard(null);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        assertThat(dataset().getPinning(block)).isFalse();
        dataset().moveBlockAcrossStorage(block, StorageType.DISK, null);
        volumes.awaitOneCopy(block.getBlockId(), StorageTier.DISK);
    }

    @Test
    void mark_outlivesAnAppend_andAMoveOfDiskBalancers() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("append", BYTES, 1);
        kept(file);
        try (FSDataOutputStream out = cluster.fs().append(file)) {
            out.write(7);
        }
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        assertThat(dataset().getPinning(block)).isTrue();
        // Within a type, as a rule; here there is one volume of each.
        dataset().moveBlockAcrossVolumes(block, volumes.volume(StorageTier.ARCHIVE));
        volumes.awaitOneCopy(block.getBlockId(), StorageTier.ARCHIVE);
        assertThat(dataset().getPinning(block)).isTrue();
    }
}
