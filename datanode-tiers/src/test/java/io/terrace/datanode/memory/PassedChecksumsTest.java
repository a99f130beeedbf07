package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassedChecksumsTest {

    private static final long PAGE = AddressSpace.PAGE_BYTES;
    private static final BlockKey KEY = new BlockKey("pool", 1, 1);

    @TempDir
    Path root;

    private final byte[] meta = new byte[100_000];
    private final Replica replica = new Replica();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(1 << 20, 10, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(new MetricRegistry(), key -> {}, more -> {}),
            key -> false);
    private MemoryDirectory directory;
    private PassedChecksums checksums;
    private Extent copy;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(meta);
        directory = MemoryDirectory.open(root, false);
        checksums = directory.checksums();
        copy = tier.begin(KEY, 1000, false, 0).extent();
        tier.publish(copy, 0);
    }

    @AfterEach
    void stop() throws IOException {
        directory.close();
    }

    @Test
    void snapshot_isMadeOnce_andStaysUntilItsCopyGoes() throws IOException {
        assertThat(read()).isEqualTo(meta);
        byte[] before = meta.clone();
        tier.changed("pool", 1, 0);
        meta[99_999]++;
        assertThat(read()).isEqualTo(before);
        assertThat(replica.opened).isEqualTo(1);
        assertThat(checksums.bytes()).isEqualTo(25 * PAGE);

        assertThat(checksums.remove(copy)).isTrue();
        assertThat(checksums.remove(copy)).isTrue();
        assertThat(checksums.bytes()).isZero();
        assertThat(files()).isZero();
    }

    @Test
    void snapshot_isNotMade_whereTheReplicaMayHaveChangedMeanwhile() throws IOException {
        replica.whileRead = () -> tier.changed("pool", 1, 0);
        assertThat(checksums.open(copy, replica)).isNull();
        assertThat(checksums.bytes()).isZero();
        assertThat(files()).isZero();
    }

    @Test
    void snapshot_thatCannotBeMade_leavesNothing() throws IOException {
        replica.whileRead = () -> {
            throw new IllegalStateException("broken");
        };
        assertThatThrownBy(() -> checksums.open(copy, replica)).isInstanceOf(IllegalStateException.class);
        assertThat(files()).isZero();
    }

    @Test
    void snapshots_ofAnEarlierProcess_areRemoved() throws IOException {
        read();
        assertThat(files()).isEqualTo(1);
        directory.checksums();
        assertThat(files()).isZero();
    }

    private byte[] read() throws IOException {
        try (InputStream in = checksums.open(copy, replica)) {
            return in.readAllBytes();
        }
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("checksums"))) {
            return files.count();
        }
    }

    /** One whose meta file is there. */
    private final class Replica implements ReplicaSource {
        private int opened;
        private Runnable whileRead = () -> {};

        @Override
        public BlockVersion find(String pool, long blockId) {
            return copy.version();
        }

        @Override
        public OpenReplica open(BlockVersion block) {
            opened++;
            return new OpenReplica() {
                @Override
                public FileChannel data() {
                    throw new IllegalStateException("nobody reads it");
                }

                @Override
                public ReadableByteChannel meta() {
                    whileRead.run();
                    return Channels.newChannel(new ByteArrayInputStream(meta));
                }

                @Override
                public void dropPages() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
            return action.getAsBoolean();
        }

        @Override
        public void reportCorrupt(BlockVersion block) {}
    }
}
