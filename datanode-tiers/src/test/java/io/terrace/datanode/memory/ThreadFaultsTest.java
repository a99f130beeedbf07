package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.move.MemoryCopier;
import io.terrace.datanode.replica.MissingReplicas;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The threads that copy and check go on after whatever happens in one piece of their work. */
class ThreadFaultsTest {

    private static final String POOL = "pool";

    @TempDir
    private Path root;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(1_000_000, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
            key -> false);

    private static BlockKey key(long id) {
        return new BlockKey(POOL, id, 1);
    }

    private static void fail(Throwable fault) {
        if (fault instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) fault;
    }

    @Test
    void order_thatEndsInAFault_isAnswered_andItsWorkerCarriesOutTheNext() throws Exception {
        for (Throwable fault : new Throwable[] {new IllegalStateException("wanted"), new AssertionError("wanted")}) {
            ReplicaSource source = new MissingReplicas() {
                @Override
                public boolean has(BlockVersion block) {
                    if (block.key().blockId() == 1) {
                        fail(fault);
                    }
                    return super.has(block);
                }
            };
            try (MemoryDirectory directory = MemoryDirectory.open(root, false);
                    CopyQueue copyQueue = new CopyQueue(
                            tier,
                            1,
                            10,
                            "test",
                            () -> new MemoryCopier(
                                    tier,
                                    source,
                                    directory,
                                    TokenBucket.ofSystem(0),
                                    false,
                                    metricRegistry,
                                    System::nanoTime))) {
                assertThat(outcome(copyQueue, 1)).isEqualTo(MoveOutcome.FAILED);
                assertThat(outcome(copyQueue, 2)).isEqualTo(MoveOutcome.NOT_HERE);
            }
        }
    }

    private static MoveOutcome outcome(CopyQueue copyQueue, long id) throws Exception {
        CompletableFuture<MoveResult> done = new CompletableFuture<>();
        copyQueue.submit(new CopyQueue.Order(new BlockVersion(key(id), 100), false, () -> true, done::complete));
        return done.get(60, TimeUnit.SECONDS).outcome();
    }

    /** Three leftovers of replicas that are gone; the first that is discarded costs a fault. */
    private static final class Faulty implements LeftoverFiles {
        final ConcurrentLinkedQueue<Long> discarded = new ConcurrentLinkedQueue<>();
        final AtomicReference<Throwable> fault;

        Faulty(Throwable fault) {
            this.fault = new AtomicReference<>(fault);
        }

        @Override
        public List<MemoryDirectory.Leftover> leftovers() {
            return List.of(1L, 2L, 3L).stream()
                    .map(id -> new MemoryDirectory.Leftover(Path.of("blk_" + id), new BlockVersion(key(id), 100)))
                    .toList();
        }

        @Override
        public FileChannel open(MemoryDirectory.Leftover leftover) throws IOException {
            throw new IOException("not asked for");
        }

        @Override
        public void adopt(MemoryDirectory.Leftover leftover, Extent extent) {}

        @Override
        public void discard(MemoryDirectory.Leftover leftover) {
            Throwable first = fault.getAndSet(null);
            if (first != null) {
                fail(first);
            }
            discarded.add(leftover.block().key().blockId());
        }
    }

    @Test
    void leftover_thatCostsAFault_costsNoOtherAnything() throws IOException {
        for (Throwable fault : new Throwable[] {new IllegalStateException("wanted"), new AssertionError("wanted")}) {
            Faulty files = new Faulty(fault);
            ReplicaSource source = new MissingReplicas();
            LeftoverRecovery leftoverRecovery = new LeftoverRecovery(
                    tier, files, source, TokenBucket.ofSystem(0), metricRegistry, System::nanoTime);
            assertThat(tier.usage().usedBytes()).isEqualTo(300);
            try (MemoryDirectory directory = MemoryDirectory.open(root, false);
                    BackgroundChecks checks = new BackgroundChecks(
                            leftoverRecovery,
                            new Scrubber(
                                    tier, directory, source, TokenBucket.ofSystem(0), metricRegistry, System::nanoTime),
                            false,
                            1_000,
                            pool -> true,
                            () -> true,
                            System::nanoTime,
                            "test")) {
                checks.start();
                checks.poolReady(POOL);
                await().atMost(Duration.ofSeconds(60)).until(() -> files.discarded.size() == 2);
                assertThat(files.discarded).containsExactly(2L, 3L);
                assertThat(tier.usage().usedBytes()).isZero();
            }
        }
    }
}
