package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Grant;
import io.terrace.channel.SlotTable;
import io.terrace.datanode.Extent;
import io.terrace.datanode.ExtentStore;
import io.terrace.datanode.HeldGrant;
import io.terrace.datanode.ReplicaSource;
import io.terrace.datanode.Slots;
import io.terrace.placement.PlacementSettings;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The seams at which a {@link Plant} is put in: each method hands through what it is given, unless the plant that belongs
 * there is switched on. The code under simulation knows nothing of it.
 */
final class Planted {

    private static final long AHEAD_NS = 2_000_000_000L;
    private static final long LATE_NS = 1_000_000_000L;
    private static final String UNHEARD = "dn1";

    private final @Nullable Plant plant;

    Planted(@Nullable Plant plant) {
        this.plant = plant;
    }

    private boolean is(Plant one) {
        return plant == one;
    }

    PlacementSettings settings(PlacementSettings settings) {
        return is(Plant.BUDGET_IGNORED) ? settings.withMoveBytesPerSecond(0) : settings;
    }

    /** The clock by which housekeeping ends grants. */
    long housekeepingNs(long nowNs) {
        return is(Plant.FREED_BEFORE_LEASE_ENDED) ? nowNs + AHEAD_NS : nowNs;
    }

    LongSupplier clientClock(OsProcess process) {
        if (is(Plant.LEASE_NOT_CHECKED)) {
            long still = process.nanoTime();
            return () -> still;
        }
        return process::nanoTime;
    }

    boolean ignoresTokens() {
        return is(Plant.TOKEN_IGNORED);
    }

    boolean forgetsWhenSent() {
        return is(Plant.LOST_ACKNOWLEDGEMENT);
    }

    /** The replicas that leftovers are held against. */
    ReplicaSource leftoverSource(ReplicaSource source, TmpFs tmpFs) {
        return is(Plant.LEFTOVER_NOT_VERIFIED) ? new CarelessSource(source, tmpFs::leftover, blockId -> {}) : source;
    }

    boolean looksResident(SlotTable table, BlockKey block) {
        return is(Plant.STAMP_CHECK_SKIPPED) || table.lookup(block) >= 0;
    }

    /** The block that the DataNode looks for when this one is asked for. */
    BlockKey asked(DataNode dataNode, BlockKey block) {
        if (is(Plant.STAMP_CHECK_SKIPPED)) {
            for (Extent extent : dataNode.tier().liveExtents()) {
                if (extent.key().blockId() == block.blockId()) {
                    return extent.key();
                }
            }
        }
        return block;
    }

    boolean accepts(Grant grant, BlockKey asked) {
        return is(Plant.STAMP_CHECK_SKIPPED) || grant.descriptor().block().equals(asked);
    }

    void revokeSent(DataNode dataNode, HeldGrant grant) {
        if (is(Plant.REVOKE_TAKEN_FOR_ACKNOWLEDGED)) {
            dataNode.tier()
                    .released(grant.peer(), grant.id(), dataNode.process().nanoTime());
        }
    }

    void unlink(TmpFs.Mount mount, String link) {
        if (!is(Plant.LINK_KEPT_AFTER_OPEN)) {
            mount.unlink(link);
        }
    }

    LongConsumer changed(LongConsumer changed) {
        return is(Plant.CHANGE_UNNOTICED) ? blockId -> {} : changed;
    }

    /**
     * What is really sent when a heartbeat is sent.
     *
     * @param lastMoves the last move that the service ordered, by block
     */
    List<HeartbeatRequestProto> heartbeat(
            Host from, HeartbeatRequestProto heartbeat, long presentEpoch, Map<Long, Long> lastMoves) {
        if (is(Plant.ONE_DATANODE_UNHEARD) && from.name.equals(UNHEARD)) {
            return List.of();
        }
        if (is(Plant.STALE_RESULT_APPLIED)) {
            HeartbeatRequestProto.Builder relabelled = heartbeat.toBuilder();
            for (ResultProto.Builder result : relabelled.getResultsBuilderList()) {
                if (result.getEpoch() < presentEpoch) {
                    result.setEpoch(presentEpoch)
                            .setMoveId(lastMoves.getOrDefault(result.getBlock().getBlockId(), result.getMoveId()));
                }
            }
            return List.of(relabelled.build());
        }
        if (is(Plant.HEARTBEAT_COUNTED_TWICE)) {
            return List.of(numbered(heartbeat, 0), numbered(heartbeat, 1));
        }
        return List.of(heartbeat);
    }

    private static HeartbeatRequestProto numbered(HeartbeatRequestProto heartbeat, int which) {
        return heartbeat.toBuilder()
                .setSequence(2 * heartbeat.getSequence() + which)
                .build();
    }

    /** The answer as the DataNode takes it. */
    HeartbeatResponseProto answer(HeartbeatResponseProto answer, long highestEpoch) {
        return is(Plant.EPOCH_NOT_FENCED) && answer.getActive()
                ? answer.toBuilder()
                        .setEpoch(Math.max(answer.getEpoch(), highestEpoch))
                        .build()
                : answer;
    }

    ExtentStore store(OsProcess process, ExtentStore store) {
        return is(Plant.RETIRING_BYTES_NOT_COUNTED) ? new LateStore(process, store) : store;
    }

    Slots slots(SlotTable table, Slots slots) {
        if (is(Plant.SLOT_SEQUENCE_UNCHANGED)) {
            return new SameSequence(table, slots);
        }
        return is(Plant.SLOT_LIVE_TOO_LONG) ? new LiveTooLong(slots) : slots;
    }

    ReplicaSource source(ReplicaSource source, Disks disks) {
        return is(Plant.PUBLISHED_BEFORE_VERIFIED) || is(Plant.REPLICA_DELETED_AFTER_COPY)
                ? new CarelessSource(
                        source,
                        blockId -> {
                            Replica stored = disks.find(blockId);
                            return stored == null ? null : stored.data.content();
                        },
                        disks::remove)
                : source;
    }

    /** Says at once that a file is gone, and removes it later. */
    private record LateStore(OsProcess process, ExtentStore store) implements ExtentStore {

        @Override
        public FileChannel create(Extent extent) throws IOException {
            return store.create(extent);
        }

        @Override
        public void seal(Extent extent) throws IOException {
            store.seal(extent);
        }

        @Override
        public FileChannel open(Extent extent) throws IOException {
            return store.open(extent);
        }

        @Override
        public void remove(Extent extent, boolean truncate) {
            process.after(LATE_NS, "late removal", () -> store.remove(extent, truncate));
        }
    }

    /** Turns the sequence of a freed slot back, in the table's file. */
    private record SameSequence(SlotTable table, Slots slots) implements Slots {

        private static final int HEADER_BYTES = 4096;
        private static final int SLOT_BYTES = 16;

        @Override
        public int claim(BlockKey key) {
            return slots.claim(key);
        }

        @Override
        public long publish(int slot) {
            return slots.publish(slot);
        }

        @Override
        public void retire(int slot) {
            slots.retire(slot);
        }

        @Override
        public void free(int slot) {
            long sequence = table.sequence(slot);
            slots.free(slot);
            ByteBuffer word = ByteBuffer.allocate(Long.BYTES).putLong(Long.reverseBytes(sequence << 8));
            try (FileChannel file = FileChannel.open(table.path(), StandardOpenOption.WRITE)) {
                file.write(word.flip(), HEADER_BYTES + (long) slot * SLOT_BYTES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Shows a slot as retired only when it is freed. */
    private record LiveTooLong(Slots slots) implements Slots {

        @Override
        public int claim(BlockKey key) {
            return slots.claim(key);
        }

        @Override
        public long publish(int slot) {
            return slots.publish(slot);
        }

        @Override
        public void retire(int slot) {
            // Left to free.
        }

        @Override
        public void free(int slot) {
            slots.retire(slot);
            slots.free(slot);
        }
    }

    /** Checksums bytes as they are instead of as they should be, or throws the replica away when it was copied. */
    private final class CarelessSource implements ReplicaSource {

        private final ReplicaSource source;
        private final LongFunction<byte @Nullable []> present;
        private final LongConsumer deleteReplica;

        CarelessSource(ReplicaSource source, LongFunction<byte @Nullable []> present, LongConsumer deleteReplica) {
            this.source = source;
            this.present = present;
            this.deleteReplica = deleteReplica;
        }

        @Override
        public long finalisedLength(BlockKey key) {
            return source.finalisedLength(key);
        }

        @Override
        public @Nullable Found find(String pool, long blockId) {
            return source.find(pool, blockId);
        }

        @Override
        public OpenReplica open(BlockKey key, long lengthBytes) throws IOException {
            OpenReplica replica = source.open(key, lengthBytes);
            byte[] bytes = present.apply(key.blockId());
            return new OpenReplica() {
                @Override
                public FileChannel data() {
                    return replica.data();
                }

                @Override
                public ReadableByteChannel meta() {
                    return is(Plant.REPLICA_DELETED_AFTER_COPY) || bytes == null
                            ? replica.meta()
                            : new MemoryChannel(new Replica(key.blockId(), 0, 0, bytes).meta, false, count -> count);
                }

                @Override
                public void dropPages() {
                    if (is(Plant.REPLICA_DELETED_AFTER_COPY)) {
                        deleteReplica.accept(key.blockId());
                    }
                }

                @Override
                public void close() throws IOException {
                    replica.close();
                }
            };
        }

        @Override
        public boolean ifUnchanged(BlockKey key, long lengthBytes, BooleanSupplier action) {
            return source.ifUnchanged(key, lengthBytes, action);
        }

        @Override
        public void reportCorrupt(BlockKey key, long lengthBytes) {
            source.reportCorrupt(key, lengthBytes);
        }
    }
}
