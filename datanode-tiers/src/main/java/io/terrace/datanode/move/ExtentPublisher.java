package io.terrace.datanode.move;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.LocalTier.Admission;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a replica an extent of a tier. All extents become live here.
 *
 * <ol>
 *   <li>Take room and an address in the tier.
 *   <li>Open the replica and let the {@link ExtentFiller} make the file and verify every byte.
 *   <li>Look again under the dataset's lock, and publish if the replica is still what it was. Whatever touches the replica
 *       in between is told to the tier, which does not publish then.
 *   <li>If anything of this fails, give the extent up and remove its file.
 * </ol>
 *
 * <p>One instance serves one thread, or several if their fillers leave the {@link VerifiedCopy} alone. It never waits for
 * room; the answer says whether waiting helps.
 */
public final class ExtentPublisher {

    /** Full for the moment: enough bytes are about to be freed. */
    public static final MoveResult ROOM_SOON = MoveResult.of(MoveOutcome.NO_ROOM, "room is about to be freed");

    private static final Logger LOG = LoggerFactory.getLogger(ExtentPublisher.class);

    private final LocalTier tier;
    private final ReplicaSource source;
    private final VerifiedCopy verifier;
    private final LongSupplier nanoClock;

    /** @param tokenBucket the rate at which bytes are copied or verified */
    public ExtentPublisher(LocalTier tier, ReplicaSource source, TokenBucket tokenBucket, LongSupplier nanoClock) {
        this.tier = tier;
        this.source = source;
        this.verifier = new VerifiedCopy(tokenBucket);
        this.nanoClock = nanoClock;
    }

    /**
     * Makes the extent, unless there is one. Reports the replica if it is corrupt.
     *
     * @return {@code DONE} without bytes if the extent was there already
     * @throws IOException if the bytes cannot be brought, for another reason than a corrupt replica
     */
    public MoveResult publish(BlockVersion block, boolean pinned, ExtentFiller filler) throws IOException {
        BlockKey key = block.key();
        long lengthBytes = block.lengthBytes();
        long startNs = nanoClock.getAsLong();
        if (lengthBytes <= 0 || !source.has(block)) {
            return MoveResult.of(
                    MoveOutcome.NOT_HERE,
                    "this DataNode has no finalised replica of " + key + " with " + lengthBytes + " bytes");
        }
        LocalTier.Begun begun = tier.begin(key, lengthBytes, pinned, startNs);
        Extent extent = begun.extent();
        if (begun.admission() != Admission.BEGUN || extent == null) {
            return notBegun(begun.admission(), key);
        }
        boolean published = false;
        try (ReplicaSource.OpenReplica replica = source.open(block)) {
            filler.fill(extent, replica, verifier);
            published = source.ifUnchanged(
                    block, () -> filler.isStillWanted() && tier.publish(extent, nanoClock.getAsLong()));
            if (!published) {
                return changed();
            }
            long tookNs = nanoClock.getAsLong() - startNs;
            filler.published(replica);
            return new MoveResult(MoveOutcome.DONE, lengthBytes, tookNs, "");
        } catch (CorruptReplicaException e) {
            return corrupt(block, extent, e);
        } finally {
            if (!published) {
                tier.abandon(extent, nanoClock.getAsLong());
                // Of this one alone: a client may wait for this thread, and all that is due may be many GB.
                tier.sweep(extent, nanoClock.getAsLong());
            }
        }
    }

    private MoveResult corrupt(BlockVersion block, Extent extent, CorruptReplicaException cause) {
        // An append rewrites the last checksum in place, and a corrupt replica that is given up may be followed by a
        // good
        // one of the same stamp: only a replica that is still what was read is corrupt.
        if (tier.hasChanged(extent) || !source.ifUnchanged(block, () -> true)) {
            return changed();
        }
        LOG.warn("The replica of {} is corrupt and is reported: {}", block.key(), cause.getMessage());
        source.reportCorrupt(block);
        return MoveResult.of(MoveOutcome.CORRUPT, String.valueOf(cause.getMessage()));
    }

    private static MoveResult changed() {
        return MoveResult.of(MoveOutcome.CHANGED, "the replica changed while it was copied");
    }

    private static MoveResult notBegun(Admission admission, BlockKey key) {
        return switch (admission) {
            case RESIDENT -> MoveResult.of(MoveOutcome.DONE, "already in memory");
            case COPYING -> MoveResult.of(MoveOutcome.FAILED, "another order copies " + key + " now");
            case ROOM_SOON -> ROOM_SOON;
            case NO_ROOM, BEGUN -> MoveResult.of(MoveOutcome.NO_ROOM, "the memory tier is full");
            case OFF -> MoveResult.of(
                    MoveOutcome.REFUSED,
                    "Terrace is off for " + key.pool() + " (placementctl on), or this DataNode stops");
        };
    }
}
