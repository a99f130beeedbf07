package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.server.Principal;
import io.terrace.common.BlockId;
import io.terrace.common.BlockKey;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.nvm.NvmFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stock short-circuit clients are told when a replica changes. */
class TierDatasetListenerTest {

    @TempDir
    Path root;

    private final List<BlockId> refreshed = new ArrayList<>();
    private NvmFixture fixture;
    private MemoryDirectory directory;
    private TierDatasetListener listener;

    @BeforeEach
    void make() throws IOException {
        fixture = new NvmFixture(Files.createDirectory(root.resolve("volume")), 10, Runnable::run);
        directory = MemoryDirectory.open(Files.createDirectory(root.resolve("memory")), false);
        listener = new TierDatasetListener(
                fixture.memory,
                directory,
                new PassedMetaFiles(directory.checksums(), fixture),
                fixture.extents,
                new PinRequests(10),
                new AnchoredPins(fixture.memory, pin -> true, 1),
                new AccessRecorder(fixture.metricRegistry, () -> fixture.nowNs, new ReaderAddresses()),
                refreshed::add,
                pool -> {},
                () -> {},
                () -> fixture.nowNs);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    /** As with stock, whose clients keep their descriptors. */
    @Test
    void change_whereNoReplicaIsOnNvm_hasNobodyAskForNewDescriptors() {
        fixture.extents.read(NvmFixture.POOL, 1);
        listener.changed(NvmFixture.POOL, 1);
        assertThat(refreshed).isEmpty();
    }

    @Test
    void change_ofAReplicaOnNvmWhoseLinkIsLeft_hasClientsAskForNewDescriptors_beforeAndAfter() throws IOException {
        BlockKey key = fixture.replica(1);
        fixture.read(key);
        assertThat(fixture.tier
                        .grants()
                        .grant(5, Principal.onAnotherHost("user"), key, Long.MAX_VALUE / 2, fixture.nowNs)
                        .grant())
                .isNotNull();
        BlockId block = new BlockId(key.pool(), key.blockId());

        listener.changed(key.pool(), key.blockId());
        assertThat(fixture.isLinked(key))
                .as("stock copies it before the change")
                .isTrue();
        assertThat(refreshed).containsExactly(block);
        // A client that asked in between was passed the old block file.
        listener.changed(key.pool(), key.blockId());
        assertThat(refreshed).containsExactly(block, block);
    }
}
