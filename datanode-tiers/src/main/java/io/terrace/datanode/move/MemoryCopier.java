package io.terrace.datanode.move;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentManager;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one memory copy: takes room, copies and checks, looks again under the dataset's lock, publishes, and has the
 * replica's pages dropped.
 *
 * <p>One instance serves one thread. It never waits for room; the answer says whether waiting helps.
 */
public final class MemoryCopier {

    /** Full for the moment: enough bytes are about to be freed. */
    public static final MoveResult ROOM_SOON = MoveResult.of(MoveOutcome.NO_ROOM, "room is about to be freed");

    private static final Logger LOG = LoggerFactory.getLogger(MemoryCopier.class);

    private final ExtentManager tier;
    private final ReplicaSource source;
    private final ExtentStore store;
    private final VerifiedCopy copy;
    private final boolean dropPages;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;

    /** Makes copies with these parts. */
    public MemoryCopier(
            ExtentManager tier,
            ReplicaSource source,
            ExtentStore store,
            TokenBucket tokenBucket,
            boolean dropPages,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.source = source;
        this.store = store;
        this.copy = new VerifiedCopy(tokenBucket);
        this.dropPages = dropPages;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /** Makes the copy, unless one is there. */
    public MoveResult run(BlockVersion block, boolean pinned) {
        BlockKey key = block.key();
        long lengthBytes = block.lengthBytes();
        long startNs = nanoClock.getAsLong();
        if (lengthBytes <= 0 || source.finalisedLength(key) != lengthBytes) {
            return MoveResult.of(MoveOutcome.NOT_HERE, "no finalised replica of " + key + " with " + lengthBytes);
        }
        ExtentManager.Begun begun = tier.begin(key, lengthBytes, pinned, startNs);
        Extent extent = begun.extent();
        if (begun.admission() != ExtentManager.Admission.BEGUN || extent == null) {
            return notBegun(begun.admission());
        }
        boolean published = false;
        try (ReplicaSource.OpenReplica replica = source.open(key, lengthBytes)) {
            try (FileChannel file = store.create(extent)) {
                copy.run(replica.data(), replica.meta(), lengthBytes, file);
            }
            store.seal(extent);
            published = source.ifUnchanged(key, lengthBytes, () -> tier.publish(extent, nanoClock.getAsLong()));
            if (!published) {
                return MoveResult.of(MoveOutcome.CHANGED, "the replica changed while it was copied");
            }
            long tookNs = nanoClock.getAsLong() - startNs;
            metricRegistry.increment(Metric.MEMORY_PROMOTED);
            metricRegistry.add(Metric.MEMORY_PROMOTED_BYTES, lengthBytes);
            metricRegistry.add(Metric.MEMORY_PROMOTED_MS, tookNs / 1_000_000);
            if (dropPages) {
                replica.dropPages();
            }
            return new MoveResult(MoveOutcome.DONE, lengthBytes, tookNs, "");
        } catch (CorruptReplicaException e) {
            return corrupt(key, lengthBytes, e);
        } catch (IOException e) {
            if (isFull(e)) {
                metricRegistry.increment(Metric.MEMORY_FULL);
                return MoveResult.of(MoveOutcome.NO_ROOM, "the memory directory is full");
            }
            LOG.warn("Cannot copy {} to memory", key, e);
            return MoveResult.of(MoveOutcome.FAILED, String.valueOf(e));
        } finally {
            if (!published) {
                tier.abandon(extent, nanoClock.getAsLong());
                tier.sweep(nanoClock.getAsLong());
            }
        }
    }

    private MoveResult corrupt(BlockKey key, long lengthBytes, CorruptReplicaException cause) {
        // An append rewrites the last checksum in place: only a replica that is still what it was is corrupt.
        boolean unchanged = source.ifUnchanged(key, lengthBytes, () -> true);
        if (!unchanged) {
            return MoveResult.of(MoveOutcome.CHANGED, "the replica changed while it was copied");
        }
        metricRegistry.increment(Metric.MEMORY_REPLICAS_CORRUPT);
        LOG.warn("The replica of {} is corrupt and is reported: {}", key, cause.getMessage());
        source.reportCorrupt(key, lengthBytes);
        return MoveResult.of(MoveOutcome.CORRUPT, String.valueOf(cause.getMessage()));
    }

    private MoveResult notBegun(ExtentManager.Admission admission) {
        return switch (admission) {
            case RESIDENT -> MoveResult.of(MoveOutcome.DONE, "already in memory");
            case COPYING -> MoveResult.of(MoveOutcome.FAILED, "is being copied");
            case ROOM_SOON -> ROOM_SOON;
            case NO_ROOM, BEGUN -> {
                metricRegistry.increment(Metric.MEMORY_FULL);
                yield MoveResult.of(MoveOutcome.NO_ROOM, "the memory tier is full");
            }
            case OFF -> MoveResult.of(MoveOutcome.REFUSED, "off");
        };
    }

    /** The file system has no room after all, whatever the tier's accounts say. */
    private static boolean isFull(IOException e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        return message.contains("no space left") || message.contains("quota exceeded");
    }
}
