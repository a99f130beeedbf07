package io.terrace.datanode.nvm;

import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentManager;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a replica on NVM an extent: takes an address, links the block file, checks every byte of the link against the
 * block's checksums, looks again under the dataset's lock, publishes.
 *
 * <p>Whatever touches the replica in between is told to the tier, which does not publish then. So the linked file is the
 * finalised replica, and since it has a second link stock copies it before it changes it in place. One thread.
 */
final class NvmAdmission {

    /** How an attempt ended. */
    enum Outcome {
        ADMITTED,
        /** It is an extent already, or is in memory. */
        NEEDLESS,
        /** No place, or the replica changed meanwhile. */
        NOT_NOW,
        /** Its bytes do not match their checksums, or they cannot be linked: not to be tried again soon. */
        UNFIT
    }

    private static final Logger LOG = LoggerFactory.getLogger(NvmAdmission.class);

    private final ExtentManager tier;
    private final ExtentManager memory;
    private final ReplicaSource source;
    private final NvmLinks links;
    private final VerifiedCopy verification;
    private final long unreadNs;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;

    /** @param unreadNs an extent that nobody read for so long makes way for another */
    NvmAdmission(
            ExtentManager tier,
            ExtentManager memory,
            ReplicaSource source,
            NvmLinks links,
            TokenBucket tokenBucket,
            long unreadNs,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.memory = memory;
        this.source = source;
        this.links = links;
        this.verification = new VerifiedCopy(tokenBucket);
        this.unreadNs = unreadNs;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    Outcome run(NvmReplica replica) {
        if (memory.isResident(replica.key())) {
            return Outcome.NEEDLESS;
        }
        ExtentManager.Begun begun = begin(replica);
        if (begun.admission() == ExtentManager.Admission.NO_ROOM
                || begun.admission() == ExtentManager.Admission.ROOM_SOON) {
            makeRoom();
            begun = begin(replica);
        }
        Extent extent = begun.extent();
        if (begun.admission() != ExtentManager.Admission.BEGUN || extent == null) {
            return begun.admission() == ExtentManager.Admission.RESIDENT ? Outcome.NEEDLESS : Outcome.NOT_NOW;
        }
        boolean published = false;
        try {
            published = verifyAndPublish(extent, replica);
            return published ? Outcome.ADMITTED : Outcome.NOT_NOW;
        } catch (CorruptReplicaException e) {
            return corrupt(replica, e);
        } catch (IOException e) {
            if (!isUnchanged(replica)) {
                return Outcome.NOT_NOW;
            }
            LOG.info("{} is not granted from NVM: {}", replica.key(), e.toString());
            return Outcome.UNFIT;
        } finally {
            if (!published) {
                tier.abandon(extent, nanoClock.getAsLong());
                tier.sweep(nanoClock.getAsLong());
            }
        }
    }

    private ExtentManager.Begun begin(NvmReplica replica) {
        return tier.begin(replica.key(), replica.lengthBytes(), false, nanoClock.getAsLong());
    }

    private boolean verifyAndPublish(Extent extent, NvmReplica replica) throws IOException {
        long lengthBytes = replica.lengthBytes();
        try (ReplicaSource.OpenReplica open = source.open(replica.key(), lengthBytes);
                FileChannel bytes = links.link(extent, replica)) {
            if (bytes.size() != lengthBytes) {
                throw new CorruptReplicaException("the block file has " + bytes.size() + " bytes, not " + lengthBytes);
            }
            verification.run(bytes, open.meta(), lengthBytes, null);
        }
        // A memory copy goes first: one that comes after this look retires the extent.
        return source.ifUnchanged(
                replica.key(),
                lengthBytes,
                () -> !memory.isResident(replica.key()) && tier.publish(extent, nanoClock.getAsLong()));
    }

    private Outcome corrupt(NvmReplica replica, CorruptReplicaException cause) {
        // An append rewrites the last checksum in place: only a replica that is still what it was is corrupt.
        if (!isUnchanged(replica)) {
            return Outcome.NOT_NOW;
        }
        metricRegistry.increment(Metric.NVM_REPLICAS_CORRUPT);
        LOG.warn("The replica of {} on NVM is corrupt and is reported: {}", replica.key(), cause.getMessage());
        source.reportCorrupt(replica.key(), replica.lengthBytes());
        return Outcome.UNFIT;
    }

    private boolean isUnchanged(NvmReplica replica) {
        return source.ifUnchanged(replica.key(), replica.lengthBytes(), () -> true);
    }

    /** Retires the extent that was not read for longest, if nobody has a grant on it and that was long ago. */
    private void makeRoom() {
        long nowNs = nanoClock.getAsLong();
        synchronized (tier) {
            Extent longest = null;
            for (Extent extent : tier.liveExtents()) {
                if (extent.grants == 0
                        && nowNs - extent.lastReadNs >= unreadNs
                        && (longest == null || extent.lastReadNs - longest.lastReadNs < 0)) {
                    longest = extent;
                }
            }
            if (longest != null) {
                tier.drop(longest.key(), RetireCause.MADE_ROOM, nowNs);
            }
        }
        tier.sweep(nowNs);
    }
}
