package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.replica.MissingReplicas;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a copy whose file a stock reader cannot open. */
class UnopenableCopiesTest {

    private static final BlockKey KEY = new BlockKey("pool", 1, 1);

    @TempDir
    private Path root;

    @Test
    void copy_isDropped_onlyIfItsFileIsNotThere() throws IOException {
        MetricRegistry metricRegistry = new MetricRegistry();
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            LocalTier tier = new LocalTier(
                    new LocalTier.Limits(1_000, 10, 0),
                    new AddressSpace(1 << 20, 1 << 30, 0),
                    new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
                    directory,
                    SharedSlots.NONE,
                    new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
                    key -> false);
            DatasetListener listener = new TierDatasetListener(
                    tier,
                    directory,
                    new PassedMetaFiles(directory.checksums(), new MissingReplicas()),
                    null,
                    new PinRequests(1),
                    new AnchoredPins(tier, pin -> true, 0),
                    new AccessRecorder(metricRegistry, System::nanoTime, () -> null),
                    block -> {},
                    pool -> {},
                    () -> {},
                    System::nanoTime);
            Extent extent = tier.begin(KEY, 100, false, 0).extent();
            assertThat(extent).isNotNull();
            tier.publish(extent, 0);
            // As without descriptors, the failure is the same class of exception as that of a missing file.
            Files.createDirectories(directory.file(extent));
            assertThat(opened(listener)).isEmpty();
            assertThat(tier.isResident(KEY)).isTrue();
            Files.delete(directory.file(extent));
            assertThat(opened(listener)).isEmpty();
            assertThat(tier.isResident(KEY)).isFalse();
            tier.sweep(1);
            assertThat(tier.usage().usedBytes()).as("given back").isZero();
        }
    }

    /** On a thread of the name by which readers are told from others. */
    private static Optional<InputStream> opened(DatasetListener listener) {
        CompletableFuture<Optional<InputStream>> opened = new CompletableFuture<>();
        ExtendedBlock block = new ExtendedBlock("pool", new Block(1, 100, 1));
        new Thread(
                        () -> opened.complete(Optional.ofNullable(listener.openCopy(block, 0))),
                        "DataXceiver for client c at /127.0.0.1:4 [Sending block pool:blk_1_1]")
                .start();
        return opened.join();
    }
}
