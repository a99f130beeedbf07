package io.terrace.datanode.memory;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks copies in memory against their replicas' checksums, slowly, one after the other. A copy that does not match any
 * more is retired and counted; whether it was the copy or the replica that went bad is for the volume scanner to find out.
 */
public final class Scrubber {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private final LocalTier tier;
    private final ExtentStore store;
    private final ReplicaSource source;
    private final VerifiedCopy verification;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;

    /** Scrubs at the given rate. */
    public Scrubber(
            LocalTier tier,
            ExtentStore store,
            ReplicaSource source,
            TokenBucket tokenBucket,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.store = store;
        this.source = source;
        this.verification = new VerifiedCopy(tokenBucket);
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /**
     * Checks every copy that is live now.
     *
     * @param goOn asked before each copy
     * @return copies that were retired
     */
    public int pass(BooleanSupplier goOn) {
        int bad = 0;
        for (Extent extent : tier.liveExtents()) {
            if (!goOn.getAsBoolean()) {
                break;
            }
            bad += check(extent) ? 0 : 1;
        }
        return bad;
    }

    private boolean check(Extent extent) {
        BlockKey key = extent.key();
        BlockVersion block = extent.version();
        // Lent as to a reader, so that the file stays while it is verified.
        Extent lent = tier.lendToVerify(key);
        if (lent == null) {
            return true;
        }
        try (FileChannel copy = store.open(lent)) {
            verification.run(copy, checksums(block), block.lengthBytes(), null);
            metricRegistry.add(Metric.MEMORY_SCRUBBED_BYTES, block.lengthBytes());
            return true;
        } catch (CorruptReplicaException e) {
            // An append rewrites the meta file in place; what changed is retired by that already.
            boolean unchanged = source.ifUnchanged(
                    block, () -> tier.drop(key, RetireCause.SCRUB_FAILED, nanoClock.getAsLong()) != null);
            if (unchanged) {
                metricRegistry.increment(Metric.MEMORY_SCRUB_FAILED);
                LOG.warn(
                        "The memory copy of {} no longer matches its checksums and is dropped: {}",
                        key,
                        e.getMessage());
            }
            return !unchanged;
        } catch (IOException e) {
            LOG.debug("{} was not scrubbed", key, e);
            return true;
        } finally {
            tier.giveBack(lent, nanoClock.getAsLong());
        }
    }

    /** In memory, a hundredth of the block: an open replica keeps its volume from being removed, and a check takes long. */
    private ReadableByteChannel checksums(BlockVersion block) throws IOException {
        try (ReplicaSource.OpenReplica replica = source.open(block);
                InputStream meta = Channels.newInputStream(replica.meta())) {
            return Channels.newChannel(new ByteArrayInputStream(meta.readAllBytes()));
        }
    }
}
