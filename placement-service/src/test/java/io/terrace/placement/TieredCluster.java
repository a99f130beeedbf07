package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/** Two DataNodes with volumes of all tiers, on which moves between volumes are carried out at once. */
public abstract class TieredCluster extends SteppedLoop {

    static final long EPOCH = 7;
    /** Room in each tier of a DataNode. */
    static final long ROOM = 100 * MB;

    final Map<FakeDataNode, Map<StorageTier, Long>> used = Map.of(one, freshTiers(), two, freshTiers());

    private static Map<StorageTier, Long> freshTiers() {
        return new EnumMap<>(StorageTier.class);
    }

    @BeforeEach
    void volumes() {
        for (FakeDataNode node : List.of(one, two)) {
            node.takesVolumeMoves = true;
            node.carryOutVolumeMove = (epoch, order) -> done(node, epoch, order);
            for (StorageTier tier : List.of(StorageTier.NVM, StorageTier.SSD, StorageTier.DISK, StorageTier.ARCHIVE)) {
                use(node, tier, 0);
            }
        }
        beats(1);
    }

    /** So many bytes of the tier are used on the DataNode. */
    final void use(FakeDataNode node, StorageTier tier, long bytes) {
        used.get(node).put(tier, bytes);
        Map<StorageTier, VolumeSpace> spaces = new EnumMap<>(StorageTier.class);
        used.get(node).forEach((each, taken) -> spaces.put(each, new VolumeSpace(ROOM, ROOM - taken)));
        names.spaces.put(node.uuid, spaces);
    }

    final void rules(String... lines) {
        List<String> all = new ArrayList<>(List.of("policy: idecider", "rules:"));
        all.addAll(List.of(lines));
        placement.policy(nowMs, applied(all.toArray(String[]::new)));
    }

    /** The NameNode has the block, of a file of that path, with replicas on these DataNodes and all in one tier. */
    final void place(StampedBlock block, String path, StorageTier tier, FakeDataNode... nodes) {
        name(block, block.id(), path);
        List<PlacedReplica> replicas = new ArrayList<>();
        for (FakeDataNode node : nodes) {
            replicas.add(new PlacedReplica(node.uuid, tier, null));
        }
        names.places.put(block.id(), new Placed(block, path, null, replicas));
        names.store(block, nodes);
    }

    /** Somebody moved the replica, and the NameNode knows it. */
    final void put(StampedBlock block, FakeDataNode node, StorageTier tier, String obstacle) {
        Placed before = names.places.get(block.id());
        List<PlacedReplica> replicas = new ArrayList<>();
        for (PlacedReplica replica : before.replicas()) {
            replicas.add(replica.node().equals(node.uuid) ? new PlacedReplica(node.uuid, tier, obstacle) : replica);
        }
        names.places.put(
                block.id(),
                new Placed(
                        before.block(),
                        before.path(),
                        before.annotations(),
                        before.obstacle(),
                        replicas,
                        before.quotaTiers(),
                        before.unreadMs()));
    }

    /** By HDFS's access time, nobody has read the file for so long. */
    final void unread(StampedBlock block, long ms) {
        Placed before = names.places.get(block.id());
        names.places.put(
                block.id(),
                new Placed(
                        before.block(),
                        before.path(),
                        before.annotations(),
                        before.obstacle(),
                        before.replicas(),
                        before.quotaTiers(),
                        ms));
    }

    /** A journal, which the engine keeps from now on. */
    final SteppedJournal keepJournal() {
        SteppedJournal journal = new SteppedJournal(
                () -> 1_700_000_000_000L + nowMs, 60_000, settings.heat().halfLifeMs(), metricRegistry);
        placement.keepIn(journal.engineSide());
        return journal;
    }

    /** The NameNode begins anew in that epoch, with what the journal has and without rules. */
    final void restart(SteppedJournal journal, long epoch) {
        restartBeforeTheJournal(journal, epoch);
        journal.turn(TimeUnit.MILLISECONDS.toNanos(nowMs));
    }

    /** The same with a journal that has not told anything yet. */
    final void restartBeforeTheJournal(SteppedJournal journal, long epoch) {
        journal.turn(TimeUnit.MILLISECONDS.toNanos(nowMs));
        journal.restart(new MetricRegistry());
        placement = new PlacementEngine(settings, names, new MetricRegistry());
        placement.keepIn(journal.engineSide());
        placement.activate(epoch, OperatorState.initial());
    }

    final StorageTier tier(StampedBlock block, FakeDataNode node) {
        return names.places.get(block.id()).on(node.uuid).tier();
    }

    /** The DataNode has moved the replica, and the NameNode knows it. */
    final Result done(FakeDataNode node, long epoch, MoveOrder order) {
        put(order.block(), node, order.to(), null);
        return result(epoch, order, MoveOutcome.DONE, order.to());
    }

    static Result result(long epoch, MoveOrder order, MoveOutcome outcome, StorageTier tier) {
        return new Result(
                order.moveId(), epoch, outcome, order.block(), order.block().lengthBytes(), 1, "", tier);
    }

    /** The block is read on the DataNode; heartbeats of both and turns of the loop follow. */
    final void read(FakeDataNode node, StampedBlock block, int times) {
        node.reads(block, times);
        beats(4);
    }

    /** So many heartbeats of each DataNode. */
    final void beats(int count) {
        for (int i = 0; i < count; i++) {
            beat(one);
            beat(two);
        }
    }

    final void waits(long ms) {
        for (long end = nowMs + ms; nowMs < end; ) {
            beats(1);
        }
    }

    /** Moves between volumes that were ordered of the DataNode. */
    static List<String> ordered(FakeDataNode node) {
        return node.orders.stream()
                .filter(MoveOrder::isVolumeMove)
                .map(order -> order.block().id() + " " + order.from() + " " + order.to())
                .toList();
    }

    final Move lastMove() {
        return placement.reports().volumeMoves(10).stream()
                .filter(move -> move.outcome() != null)
                .findFirst()
                .orElseThrow();
    }
}
