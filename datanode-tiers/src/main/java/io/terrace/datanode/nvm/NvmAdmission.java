package io.terrace.datanode.nvm;

import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.move.ExtentFiller;
import io.terrace.datanode.move.ExtentPublisher;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.ReplicaSource.OpenReplica;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a replica on NVM an extent through an {@link ExtentPublisher}: links the block file, and checks every byte of the
 * link against the block's checksums.
 *
 * <p>The linked file is the finalised replica, and since it has a second link stock copies it before it changes it in
 * place. One thread.
 */
final class NvmAdmission {

    /** How an attempt ended. */
    enum Outcome {
        /** It is an extent now, or is in memory. */
        ADMITTED,
        /** No place, or the replica changed meanwhile. */
        NOT_NOW,
        /** Its bytes do not match their checksums, or they cannot be linked: not to be tried again soon. */
        UNFIT
    }

    private static final Logger LOG = LoggerFactory.getLogger(NvmAdmission.class);

    private final LocalTier tier;
    private final LocalTier memory;
    private final ExtentPublisher publisher;
    private final ReplicaSource source;
    private final NvmLinks links;
    private final long unreadNs;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;

    /** @param unreadNs an extent that nobody read for so long makes way for another */
    NvmAdmission(
            LocalTier tier,
            LocalTier memory,
            ReplicaSource source,
            NvmLinks links,
            TokenBucket tokenBucket,
            long unreadNs,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.memory = memory;
        this.publisher = new ExtentPublisher(tier, source, tokenBucket, nanoClock);
        this.source = source;
        this.links = links;
        this.unreadNs = unreadNs;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    Outcome run(NvmReplica replica) {
        if (memory.isResident(replica.key())) {
            return Outcome.ADMITTED;
        }
        links.begin(replica);
        try {
            MoveResult result = publish(replica);
            if (result.outcome() == MoveOutcome.NO_ROOM) {
                makeRoom();
                result = publish(replica);
            }
            return switch (result.outcome()) {
                case DONE -> Outcome.ADMITTED;
                case CORRUPT -> {
                    metricRegistry.increment(Metric.NVM_REPLICAS_CORRUPT);
                    yield Outcome.UNFIT;
                }
                default -> Outcome.NOT_NOW;
            };
        } catch (IOException e) {
            if (!source.ifUnchanged(replica.block(), () -> true)) {
                return Outcome.NOT_NOW;
            }
            LOG.info("{} is not granted from NVM: {}", replica.key(), e.toString());
            return Outcome.UNFIT;
        }
    }

    private MoveResult publish(NvmReplica replica) throws IOException {
        return publisher.publish(replica.block(), false, new Linking(replica));
    }

    private final class Linking implements ExtentFiller {
        private final NvmReplica replica;

        Linking(NvmReplica replica) {
            this.replica = replica;
        }

        @Override
        public void fill(Extent extent, OpenReplica open, VerifiedCopy verifier) throws IOException {
            long lengthBytes = extent.lengthBytes();
            try (FileChannel bytes = links.link(extent, replica)) {
                if (bytes.size() != lengthBytes) {
                    throw new CorruptReplicaException(
                            "the block file has " + bytes.size() + " bytes, not " + lengthBytes);
                }
                verifier.run(bytes, open.meta(), lengthBytes, null);
            }
        }

        /** A memory copy goes first: one that comes after this look retires the extent. */
        @Override
        public boolean isStillWanted() {
            return !memory.isResident(replica.key());
        }
    }

    private void makeRoom() {
        long nowNs = nanoClock.getAsLong();
        tier.dropUnread(unreadNs, nowNs);
        tier.sweep(nowNs);
    }
}
