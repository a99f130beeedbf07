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
import io.terrace.datanode.replica.MissingReplicas;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the copies of an earlier process, which are whole here, while pools come late and the process ends. */
class BackgroundChecksTest {

    private static final int BYTES = 100_000;
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(11);
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path root;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final byte[] block = new byte[BYTES];
    private byte[] meta;
    private final AtomicInteger openReplicas = new AtomicInteger();
    private volatile long nowNs;
    private volatile Predicate<String> served = pool -> true;
    private volatile boolean allKnown = true;
    private MemoryDirectory directory;
    private LocalTier tier;

    @BeforeEach
    void open() throws IOException {
        new Random(1).nextBytes(block);
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BlockMetadataHeader.writeHeader(new DataOutputStream(out), checksum);
        ByteBuffer sums = ByteBuffer.allocate(checksum.getChecksumSize(BYTES));
        checksum.calculateChunkedSums(ByteBuffer.wrap(block), sums);
        out.write(sums.array());
        meta = out.toByteArray();
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    /** An earlier process left copies of these blocks. */
    private void leave(BlockKey... keys) throws IOException {
        try (MemoryDirectory earlier = MemoryDirectory.open(root, false)) {
            for (BlockKey key : keys) {
                Extent extent = new Extent(key, BYTES, 4096, 1, 0);
                try (FileChannel file = earlier.create(extent)) {
                    file.write(ByteBuffer.wrap(block));
                }
                earlier.seal(extent);
            }
        }
        directory = MemoryDirectory.open(root, false);
        tier = new LocalTier(
                new LocalTier.Limits(10 * BYTES, 10, 0),
                new AddressSpace(1 << 20, 1 << 30, 0),
                new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
                directory,
                SharedSlots.NONE,
                new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
                key -> false);
    }

    /** @param opened happens when a replica is opened so that a leftover is verified against it */
    private BackgroundChecks checks(Consumer<BlockKey> opened) throws IOException {
        ReplicaSource source = new SoundReplicas(opened);
        return new BackgroundChecks(
                new LeftoverRecovery(
                        tier, directory, source, TokenBucket.ofSystem(0), metricRegistry, System::nanoTime),
                new Scrubber(tier, directory, source, TokenBucket.ofSystem(0), metricRegistry, System::nanoTime),
                false,
                10,
                served,
                () -> allKnown,
                () -> nowNs,
                "test");
    }

    private final class SoundReplicas extends MissingReplicas {
        private final Consumer<BlockKey> opened;

        SoundReplicas(Consumer<BlockKey> opened) {
            this.opened = opened;
        }

        @Override
        public boolean has(BlockVersion wanted) {
            return true;
        }

        @Override
        public OpenReplica open(BlockVersion wanted) {
            opened.accept(wanted.key());
            openReplicas.incrementAndGet();
            return new OpenReplica() {
                @Override
                public FileChannel data() {
                    throw new UnsupportedOperationException("the leftover is what is read");
                }

                @Override
                public ReadableByteChannel meta() {
                    return Channels.newChannel(new ByteArrayInputStream(meta));
                }

                @Override
                public void dropPages() {}

                @Override
                public void close() {
                    openReplicas.decrementAndGet();
                }
            };
        }

        @Override
        public boolean ifUnchanged(BlockVersion wanted, BooleanSupplier action) {
            return action.getAsBoolean();
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("blk_"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void close_whileLeftoversAreVerified_leavesAllOfThemForTheNextProcess() throws IOException {
        leave(new BlockKey("pool", 1, 1), new BlockKey("pool", 2, 1), new BlockKey("pool", 3, 1));
        List<String> left = files();
        CountDownLatch verifying = new CountDownLatch(1);
        try (BackgroundChecks checks = checks(key -> {
            verifying.countDown();
            untilInterrupted();
        })) {
            checks.start();
            checks.poolReady("pool");
            await().atMost(SOON).until(() -> verifying.getCount() == 0);
        }
        tier.close(1);
        tier.sweep(2);
        assertThat(files()).hasSize(3).isEqualTo(left);
        assertThat(metricRegistry.value(Metric.MEMORY_LEFTOVERS_DELETED)).isZero();
        assertThat(tier.usage().usedBytes()).isEqualTo(3L * BYTES);
    }

    @Test
    void pool_thatWaitsForALongVerificationOfAnother_isAdopted() throws IOException {
        leave(new BlockKey("first", 1, 1), new BlockKey("second", 2, 1));
        served = pool -> false;
        try (BackgroundChecks checks = checks(key -> {
            if (key.pool().equals("first")) {
                nowNs = LONG_NS;
            }
        })) {
            checks.poolReady("first");
            checks.poolReady("second");
            checks.start();
            await().atMost(SOON).until(() -> tier.isResident(new BlockKey("second", 2, 1)));
        }
        assertThat(metricRegistry.value(Metric.MEMORY_LEFTOVERS_DELETED)).isZero();
    }

    @Test
    void pool_thatIsServedAndSlowToBeKnown_keepsItsLeftovers_oneThatIsNotServedLosesThem() throws IOException {
        BlockKey slow = new BlockKey("slow", 1, 1);
        leave(slow, new BlockKey("gone", 2, 1));
        AtomicInteger asked = new AtomicInteger();
        served = pool -> pool.equals("slow") && asked.incrementAndGet() > 0;
        try (BackgroundChecks checks = checks(key -> {})) {
            checks.start();
            await().atMost(SOON).until(() -> tier.usage().usedBytes() == 2 * BYTES);
            assertThat(asked).as("too early to ask").hasValue(0);
            nowNs = LONG_NS;
            await().atMost(SOON).until(() -> asked.get() > 1);
            assertThat(files()).containsExactly("blk_1_1_1");
            checks.poolReady("slow");
            await().atMost(SOON).until(() -> tier.isResident(slow));
        }
    }

    @Test
    void nameService_thatNeverAnswers_keepsLeftoversForADay() throws IOException {
        leave(new BlockKey("gone", 2, 1));
        served = pool -> false;
        allKnown = false;
        try (BackgroundChecks checks = checks(key -> {})) {
            checks.start();
            for (long hours = 1; hours <= 24; hours += 23) {
                nowNs = TimeUnit.HOURS.toNanos(hours);
                assertThat(checks.doWork(nowNs)).isZero();
                assertThat(files()).as("after %d h", hours).hasSize(1);
            }
            nowNs = TimeUnit.HOURS.toNanos(24) + 1;
            await().atMost(SOON).until(() -> files().isEmpty());
        }
    }

    /** As a slow disk that an interrupt ends: the thread stays interrupted, as it does for channels. */
    private static void untilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void leftoverThatCannotBeDeleted_countsAsUsed() throws IOException {
        leave(new BlockKey("gone", 2, 1));
        LeftoverFiles stuck = (LeftoverFiles) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeftoverFiles.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("discard")) {
                        throw new IOException("Read-only file system");
                    }
                    return method.invoke(directory, arguments);
                });
        LeftoverRecovery recovery = new LeftoverRecovery(
                tier, stuck, new SoundReplicas(key -> {}), TokenBucket.ofSystem(0), metricRegistry, System::nanoTime);
        recovery.discardUnserved(pool -> false);
        assertThat(tier.usage().usedBytes()).isEqualTo(BYTES);
        assertThat(metricRegistry.value(Metric.MEMORY_LEFTOVERS_DELETED)).isZero();
    }

    @Test
    void scrub_holdsNoReplica_whileItPacesItself() throws IOException {
        BlockKey key = new BlockKey("pool", 1, 1);
        leave(key);
        new LeftoverRecovery(
                        tier,
                        directory,
                        new SoundReplicas(opened -> {}),
                        TokenBucket.ofSystem(0),
                        metricRegistry,
                        System::nanoTime)
                .recover("pool", () -> true);
        assertThat(tier.isResident(key)).isTrue();
        List<Integer> openMeanwhile = new ArrayList<>();
        AtomicLong clockNs = new AtomicLong();
        TokenBucket slow = new TokenBucket(BYTES, clockNs::get, ns -> {
            openMeanwhile.add(openReplicas.get());
            clockNs.addAndGet(ns);
        });
        slow.takeAndSleep(10 * BYTES);
        openMeanwhile.clear();
        int bad = new Scrubber(tier, directory, new SoundReplicas(opened -> {}), slow, metricRegistry, System::nanoTime)
                .pass(() -> true);
        assertThat(bad).isZero();
        assertThat(metricRegistry.value(Metric.MEMORY_SCRUBBED_BYTES)).isEqualTo(BYTES);
        assertThat(openMeanwhile).isNotEmpty().containsOnly(0);
    }
}
