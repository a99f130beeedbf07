package io.terrace.datanode.nvm;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.grant.RoutingGrantService;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/** Replicas on a volume in a directory, a memory tier and a tier of NVM beside it, and a clock that stands still. */
public final class NvmFixture implements ReplicaSource, NvmReplica.Look {

    public static final String POOL = "pool";
    public static final int BYTES = 10_000;
    public static final int GRANTS = 100;
    static final long LEASE_NS = 1_000_000_000L;
    static final long NEVER = Long.MAX_VALUE / 2;

    public long nowNs = 1;
    /** Happens when a replica is opened to be verified. */
    Runnable whileVerifying = () -> {};

    public final MetricRegistry metricRegistry = new MetricRegistry();
    final List<BlockKey> reportedCorrupt = new ArrayList<>();
    final Set<BlockKey> announced = new HashSet<>();
    public final LocalTier memory;
    public final LocalTier tier;
    final NvmLinks links = new NvmLinks();
    public final NvmExtents extents;
    private final Path volume;
    private final Map<Long, NvmReplica> replicas = new HashMap<>();

    public NvmFixture(Path volume, int extentsMax, Executor verifier) throws IOException {
        this.volume = volume;
        Files.createDirectory(volume.resolve("current"));
        GrantLedger.Limits limits = new GrantLedger.Limits(GRANTS, GRANTS, LEASE_NS, 100, 1L << 40, 1 << 20);
        memory = new LocalTier(
                new LocalTier.Limits(1 << 30, 100, 0),
                new AddressSpace(1 << 20, 1 << 30, 0),
                new GrantLedger(limits),
                (extent, truncate) -> true,
                new Counted(),
                new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
                key -> false);
        tier = new LocalTier(
                new LocalTier.Limits(1L << 40, extentsMax, 0),
                new AddressSpace(1L << 40, 1 << 30, 0),
                new GrantLedger(limits, RoutingGrantService.FIRST_NVM_GRANT),
                links,
                new Counted(),
                new NvmExtentListener(metricRegistry, () -> {}),
                key -> false);
        extents = new NvmExtents(
                tier,
                memory,
                this,
                this,
                links,
                new TokenBucket(0, () -> 0, ns -> {}),
                LEASE_NS,
                verifier,
                metricRegistry,
                () -> nowNs);
    }

    /** Makes a finalised replica with its meta file. */
    public BlockKey replica(long blockId) throws IOException {
        byte[] bytes = new byte[BYTES];
        new Random(blockId).nextBytes(bytes);
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        ByteArrayOutputStream meta = new ByteArrayOutputStream();
        BlockMetadataHeader.writeHeader(new java.io.DataOutputStream(meta), checksum);
        ByteBuffer sums = ByteBuffer.allocate(checksum.getChecksumSize(BYTES));
        checksum.calculateChunkedSums(ByteBuffer.wrap(bytes), sums);
        meta.write(sums.array());
        BlockKey key = new BlockKey(POOL, blockId, 1);
        Path file = Files.write(volume.resolve("current").resolve("blk_" + blockId), bytes);
        Files.write(meta(file), meta.toByteArray());
        replicas.put(blockId, new NvmReplica(new BlockVersion(key, BYTES), volume, file));
        return key;
    }

    Path file(BlockKey key) {
        return replicas.get(key.blockId()).file();
    }

    public boolean isLinked(BlockKey key) throws IOException {
        return (int) Files.getAttribute(file(key), "unix:nlink") > 1;
    }

    /** As stock does it: the file is renamed away, or deleted; the watch is told before and after. */
    void delete(BlockKey key) throws IOException {
        extents.changed(key.pool(), key.blockId());
        Files.delete(file(key));
        replicas.remove(key.blockId());
        extents.changed(key.pool(), key.blockId());
    }

    public void read(BlockKey key) {
        extents.read(key.pool(), key.blockId());
    }

    static Path meta(Path file) {
        return file.resolveSibling(file.getFileName() + ".meta");
    }

    @Override
    public @Nullable NvmReplica onNvm(String pool, long blockId) {
        return replicas.get(blockId);
    }

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        NvmReplica replica = replicas.get(blockId);
        return replica == null ? null : replica.block();
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        NvmReplica replica = replicas.get(block.key().blockId());
        if (replica == null) {
            throw new FileNotFoundException(block.toString());
        }
        FileChannel data = FileChannel.open(replica.file(), StandardOpenOption.READ);
        FileChannel meta = FileChannel.open(meta(replica.file()), StandardOpenOption.READ);
        whileVerifying.run();
        return new OpenReplica() {
            @Override
            public FileChannel data() {
                return data;
            }

            @Override
            public ReadableByteChannel meta() {
                return meta;
            }

            @Override
            public void dropPages() {
                throw new IllegalStateException("there is no second copy of a replica on NVM");
            }

            @Override
            public void close() throws IOException {
                data.close();
                meta.close();
            }
        };
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        return has(block) && action.getAsBoolean();
    }

    @Override
    public void reportCorrupt(BlockVersion block) {
        reportedCorrupt.add(block.key());
    }

    private final class Counted implements SlotAllocator {
        private final Map<Integer, BlockKey> keys = new HashMap<>();

        @Override
        public int claim(BlockKey key) {
            keys.put(keys.size(), key);
            return keys.size() - 1;
        }

        @Override
        public long publish(int slot) {
            announced.add(keys.get(slot));
            return 1;
        }

        @Override
        public void retire(int slot) {
            announced.remove(keys.get(slot));
        }

        @Override
        public void free(int slot) {}
    }
}
