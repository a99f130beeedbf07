package io.terrace.protocol;

import io.terrace.common.StorageTier;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;

/** What both ends of the protocol share, to and from its messages: the one place that knows how each is written. */
public final class ProtoConverter {

    private ProtoConverter() {}

    public static TierProto tier(StorageTier tier) {
        return switch (tier) {
            case MEMORY -> TierProto.MEMORY;
            case NVM -> TierProto.NVM;
            case SSD -> TierProto.SSD;
            case DISK -> TierProto.DISK;
            case ARCHIVE -> TierProto.ARCHIVE;
        };
    }

    public static StorageTier tier(TierProto proto) {
        return switch (proto) {
            case MEMORY -> StorageTier.MEMORY;
            case NVM -> StorageTier.NVM;
            case SSD -> StorageTier.SSD;
            case DISK -> StorageTier.DISK;
            case ARCHIVE -> StorageTier.ARCHIVE;
        };
    }

    /** @throws IllegalArgumentException for an outcome that no DataNode reports */
    public static OutcomeProto outcome(MoveOutcome outcome) {
        return switch (outcome) {
            case DONE -> OutcomeProto.DONE;
            case NO_ROOM -> OutcomeProto.NO_ROOM;
            case NOT_HERE -> OutcomeProto.NOT_HERE;
            case CHANGED -> OutcomeProto.CHANGED;
            case CORRUPT -> OutcomeProto.CORRUPT;
            case PINNED -> OutcomeProto.PINNED;
            case REFUSED -> OutcomeProto.REFUSED;
            case FAILED -> OutcomeProto.FAILED;
            case LOST, UNFIT, CANCELLED, EXPIRED -> throw new IllegalArgumentException(
                    "the outcome " + outcome + " has no number on the wire");
        };
    }

    public static MoveOutcome outcome(OutcomeProto proto) {
        return switch (proto) {
            case DONE -> MoveOutcome.DONE;
            case NO_ROOM -> MoveOutcome.NO_ROOM;
            case NOT_HERE -> MoveOutcome.NOT_HERE;
            case CHANGED -> MoveOutcome.CHANGED;
            case CORRUPT -> MoveOutcome.CORRUPT;
            case PINNED -> MoveOutcome.PINNED;
            case REFUSED -> MoveOutcome.REFUSED;
            case FAILED -> MoveOutcome.FAILED;
        };
    }
}
