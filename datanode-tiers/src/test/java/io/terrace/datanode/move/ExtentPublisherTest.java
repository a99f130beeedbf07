package io.terrace.datanode.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a copy ends when its replica, the tier or the filler does not stay as it was. */
class ExtentPublisherTest {

    private static final String POOL = "pool";
    private static final long LENGTH = 2 * AddressSpace.PAGE_BYTES;
    private static final BlockVersion BLOCK = new BlockVersion(new BlockKey(POOL, 1, 1), LENGTH);
    private static final BlockVersion OTHER = new BlockVersion(new BlockKey(POOL, 2, 1), LENGTH);

    private final Replicas replicas = new Replicas();
    private final List<Extent> removed = new ArrayList<>();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(LENGTH, 10, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> removed.add(extent),
            SharedSlots.NONE,
            new MemoryTierListener(new MetricRegistry(), key -> {}, more -> {}),
            key -> false);
    private long nowNs;
    private final ExtentPublisher publisher =
            new ExtentPublisher(tier, replicas, new TokenBucket(0, () -> nowNs, ns -> {}), () -> nowNs);
    private boolean stillWanted = true;
    private int published;

    /** What the filler does; by default it needs 5 ns. */
    private ThrowingAction whileFilled = () -> nowNs += 5;

    private final ExtentFiller filler = new ExtentFiller() {
        @Override
        public void fill(Extent extent, ReplicaSource.OpenReplica replica, VerifiedCopy verifier) throws IOException {
            whileFilled.run();
        }

        @Override
        public boolean isStillWanted() {
            assertThat(replicas.locked).as("asked under the dataset's lock").isTrue();
            return stillWanted;
        }

        @Override
        public void published(ReplicaSource.OpenReplica replica) {
            assertThat(replicas.open).as("the replica is open still").isEqualTo(1);
            published++;
        }
    };

    private interface ThrowingAction {
        void run() throws IOException;
    }

    /** The finalised replicas by id, which a test changes. */
    private static final class Replicas implements ReplicaSource {
        private final Map<Long, BlockVersion> finalised = new HashMap<>();
        private final List<BlockVersion> reported = new ArrayList<>();
        private Runnable beforeLock = () -> {};
        private boolean locked;
        private int open;

        Replicas() {
            put(BLOCK);
            put(OTHER);
        }

        void put(BlockVersion version) {
            finalised.put(version.key().blockId(), version);
        }

        @Override
        public @Nullable BlockVersion find(String pool, long blockId) {
            return finalised.get(blockId);
        }

        @Override
        public OpenReplica open(BlockVersion block) {
            open++;
            return new OpenReplica() {
                @Override
                public FileChannel data() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public ReadableByteChannel meta() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void dropPages() {}

                @Override
                public void close() {
                    open--;
                }
            };
        }

        @Override
        public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
            beforeLock.run();
            locked = true;
            try {
                return has(block) && action.getAsBoolean();
            } finally {
                locked = false;
            }
        }

        @Override
        public void reportCorrupt(BlockVersion block) {
            reported.add(block);
        }
    }

    private MoveOutcome publish(BlockVersion block) throws IOException {
        return publisher.publish(block, false, filler).outcome();
    }

    /** Nothing is left of an extent that was not published. */
    private void assertGivenUp() {
        assertThat(tier.isResident(BLOCK.key())).isFalse();
        assertThat(removed).hasSize(1);
        assertThat(tier.usage().usedBytes()).isZero();
        assertThat(replicas.open).isZero();
        assertThat(published).isZero();
    }

    private static BlockVersion appended() {
        return new BlockVersion(new BlockKey(POOL, 1, 2), LENGTH + 1);
    }

    @Test
    void publish_makesTheExtentLive_once() throws Exception {
        assertThat(publisher.publish(BLOCK, true, filler)).isEqualTo(new MoveResult(MoveOutcome.DONE, LENGTH, 5, ""));
        assertThat(tier.isPinned(BLOCK.key())).isTrue();
        MoveResult again = publisher.publish(BLOCK, false, filler);
        assertThat(again.outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(again.bytesMoved()).isZero();
        assertThat(published).isEqualTo(1);
        assertThat(removed).isEmpty();
        assertThat(replicas.open).isZero();
    }

    @Test
    void publish_withoutSuchAReplica_takesNoRoom() throws Exception {
        assertThat(publish(appended())).isEqualTo(MoveOutcome.NOT_HERE);
        assertThat(publish(new BlockVersion(BLOCK.key(), 0))).isEqualTo(MoveOutcome.NOT_HERE);
        assertThat(tier.usage().usedBytes()).isZero();
    }

    @Test
    void replicaChanged_seenUnderTheLock_isNotPublished() throws Exception {
        replicas.beforeLock = () -> replicas.put(appended());
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.CHANGED);
        assertGivenUp();
    }

    @Test
    void replicaChanged_asTheTierWasTold_isNotPublished_thoughItLooksTheSame() throws Exception {
        whileFilled = () -> tier.changed(POOL, 1, nowNs);
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.CHANGED);
        assertGivenUp();
    }

    @Test
    void corruptReplica_isReportedOnce() throws Exception {
        whileFilled = () -> {
            throw new CorruptReplicaException("planted");
        };
        MoveResult result = publisher.publish(BLOCK, false, filler);
        assertThat(result).isEqualTo(MoveResult.of(MoveOutcome.CORRUPT, "planted"));
        assertThat(replicas.reported).containsExactly(BLOCK);
        assertGivenUp();
    }

    @Test
    void corruptReplica_thatIsAnotherByNow_isNotReported() throws Exception {
        whileFilled = () -> {
            replicas.put(appended());
            throw new CorruptReplicaException("planted");
        };
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.CHANGED);
        assertThat(replicas.reported).isEmpty();
        assertGivenUp();
    }

    @Test
    void corruptReplica_replacedByOneOfTheSameStamp_isNotReported() throws Exception {
        whileFilled = () -> {
            tier.changed(POOL, 1, nowNs);
            throw new CorruptReplicaException("planted");
        };
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.CHANGED);
        assertThat(replicas.reported).isEmpty();
        assertGivenUp();
    }

    @Test
    void fullTier_saysWhetherWaitingHelps() throws Exception {
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.DONE);
        MoveResult full = publisher.publish(OTHER, false, filler);
        assertThat(full.outcome()).isEqualTo(MoveOutcome.NO_ROOM);
        assertThat(full).isNotEqualTo(ExtentPublisher.ROOM_SOON);
        Extent read = tier.lend(BLOCK.key(), false, nowNs);
        tier.changed(POOL, 1, nowNs);
        assertThat(publisher.publish(OTHER, false, filler)).isSameAs(ExtentPublisher.ROOM_SOON);
        assertThat(read).isNotNull();
        tier.giveBack(read, nowNs);
        tier.sweep(nowNs);
        assertThat(publish(OTHER)).isEqualTo(MoveOutcome.DONE);
    }

    @Test
    void failureOfTheFiller_isThrown_andLeavesNothing() {
        whileFilled = () -> {
            throw new IOException("no space left");
        };
        assertThatThrownBy(() -> publish(BLOCK)).hasMessage("no space left");
        assertThat(replicas.reported).isEmpty();
        assertGivenUp();
    }

    @Test
    void extentThatIsNotWantedAnyMore_isNotPublished() throws Exception {
        stillWanted = false;
        assertThat(publish(BLOCK)).isEqualTo(MoveOutcome.CHANGED);
        assertGivenUp();
    }
}
