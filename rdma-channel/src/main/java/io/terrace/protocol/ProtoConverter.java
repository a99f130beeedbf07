package io.terrace.protocol;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.util.concurrent.TimeUnit;

/** What both ends of the protocol share, to and from its messages: the one place that knows how each is written. */
public final class ProtoConverter {

    private ProtoConverter() {}

    public static BlockProto block(BlockVersion block) {
        return BlockProto.newBuilder()
                .setBlockId(block.key().blockId())
                .setGenerationStamp(block.key().generationStamp())
                .setLengthBytes(block.lengthBytes())
                .build();
    }

    public static BlockVersion block(String pool, BlockProto proto) {
        BlockKey key = new BlockKey(pool, proto.getBlockId(), proto.getGenerationStamp());
        return new BlockVersion(key, proto.getLengthBytes());
    }

    public static BlockProto block(StampedBlock block) {
        return BlockProto.newBuilder()
                .setBlockId(block.id())
                .setGenerationStamp(block.stamp())
                .setLengthBytes(block.lengthBytes())
                .build();
    }

    private static StampedBlock stamped(BlockProto proto) {
        return new StampedBlock(proto.getBlockId(), proto.getGenerationStamp(), proto.getLengthBytes());
    }

    public static MoveOrder order(OrderProto proto) {
        StampedBlock block = stamped(proto.getBlock());
        boolean promote = proto.getKind() == OrderKindProto.PROMOTE;
        return new MoveOrder(
                proto.getMoveId(),
                block,
                promote ? null : StorageTier.MEMORY,
                promote ? StorageTier.MEMORY : null,
                proto.getBytesPerSecond());
    }

    /** An order to move a replica between volumes. */
    public static MoveOrder order(VolumeMoveProto proto) {
        return new MoveOrder(
                proto.getMoveId(),
                stamped(proto.getBlock()),
                proto.hasFrom() ? tier(proto.getFrom()) : null,
                tier(proto.getTo()),
                proto.getBytesPerSecond(),
                proto.getKept());
    }

    /** Adds an order to the list that its kind belongs to. */
    public static void add(HeartbeatResponseProto.Builder answer, MoveOrder order) {
        StorageTier to = order.to();
        if (to == null || to == StorageTier.MEMORY) {
            answer.addOrders(OrderProto.newBuilder()
                    .setMoveId(order.moveId())
                    .setKind(kind(order.isPromotion()))
                    .setBlock(block(order.block()))
                    .setBytesPerSecond(order.bytesPerSecond()));
            return;
        }
        VolumeMoveProto.Builder move = VolumeMoveProto.newBuilder()
                .setMoveId(order.moveId())
                .setBlock(block(order.block()))
                .setTo(tier(to))
                .setBytesPerSecond(order.bytesPerSecond());
        if (order.from() != null) {
            move.setFrom(tier(order.from()));
        }
        if (order.kept()) {
            move.setKept(true);
        }
        answer.addVolumeMoves(move);
    }

    public static OrderKindProto kind(boolean promotion) {
        return promotion ? OrderKindProto.PROMOTE : OrderKindProto.DROP;
    }

    /**
     * How an order of this epoch ended.
     *
     * @throws IllegalArgumentException for an outcome that no DataNode reports
     */
    public static ResultProto result(MoveOrder order, long epoch, MoveResult result) {
        ResultProto.Builder proto = ResultProto.newBuilder()
                .setMoveId(order.moveId())
                .setOutcome(outcome(result.outcome()))
                .setBlock(block(order.block()))
                .setBytesMoved(result.bytesMoved())
                .setTookMs(TimeUnit.NANOSECONDS.toMillis(result.tookNs()))
                .setMessage(result.message())
                .setEpoch(epoch);
        if (result.tier() != null) {
            proto.setTier(tier(result.tier()));
        }
        return proto.build();
    }

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
