package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.api.PoolUsage;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What pools own, may take and give back of a tier below memory. Of the 100 MB of a tier 90 MB are divided. */
class PooledTiersTest extends TieredCluster {

    private static final String RULES = "rules: [{path: /etl/**, pool: etl, tiers: ssd..disk},"
            + " {path: /bi/**, pool: bi, tiers: ssd..disk}, {path: /**, tiers: ssd..disk}]";

    /** What HDFS wrote into the SSDs, of which Terrace knows nothing. */
    private long strangers;

    private int blocks;

    @BeforeEach
    void countRoom() {
        one.carryOutVolumeMove = (epoch, order) -> {
            Result result = done(one, epoch, order);
            countRoomOfOne();
            return result;
        };
    }

    private void countRoomOfOne() {
        for (StorageTier tier : List.of(StorageTier.SSD, StorageTier.DISK)) {
            long sum = tier == StorageTier.SSD ? strangers : 0;
            for (Placed placed : names.places.values()) {
                for (PlacedReplica replica : placed.replicas()) {
                    sum += replica.node().equals(one.uuid) && replica.tier() == tier
                            ? placed.block().lengthBytes()
                            : 0;
                }
            }
            use(one, tier, tier == StorageTier.DISK ? 0 : sum);
        }
    }

    private void pools(String pools) {
        placement.policy(nowMs, applied("policy: idecider", "pools: [" + pools + "]", RULES));
    }

    private void twoPools() {
        pools("{name: etl, share: 10%, tiers: {ssd: {share: 30%, most: 60%}}},"
                + " {name: bi, share: 10%, tiers: {ssd: {share: 30%, most: 100%}}}");
    }

    /** So many blocks of 4 MB, read so often, which are in a tier or get there. */
    private List<StampedBlock> hot(String directory, int count, int reads) {
        List<StampedBlock> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StampedBlock block = block(++blocks, 4);
            place(block, directory + "/" + blocks, StorageTier.DISK, one);
            made.add(block);
        }
        made.forEach(block -> one.reads(block, reads));
        beats(1);
        return made;
    }

    private long onSsd(List<StampedBlock> of) {
        return of.stream().filter(block -> tier(block, one) == StorageTier.SSD).count();
    }

    private PoolUsage usage(String pool) {
        return placement.reports().nodes(nowMs).stream()
                .filter(node -> node.uuid().equals("one"))
                .flatMap(node -> node.pools().stream())
                .filter(use -> use.tier().equals("ssd") && use.name().equals(pool))
                .findFirst()
                .orElseThrow();
    }

    private String stays(StampedBlock block) {
        return placement.reports().block(nowMs, block.id(), 5).replicas().get(0).stays();
    }

    @Test
    void beyondItsMost_aPoolGetsNothing_thoughThereIsRoom() {
        twoPools();
        List<StampedBlock> etl = hot("/etl", 20, 50);
        waits(90_000);
        // 60 % of 90 MB are 54 MB.
        assertThat(onSsd(etl)).isEqualTo(13);
        assertThat(usage("etl")).isEqualTo(new PoolUsage("ssd", "etl", 27 * MB, 54 * MB, 52 * MB));
        StampedBlock out = etl.stream()
                .filter(block -> tier(block, one) == StorageTier.DISK)
                .findFirst()
                .orElseThrow();
        assertThat(stays(out)).isEqualTo("pool etl has 52 MB of ssd there, at most 54 MB");
        assertThat(placement.reports().block(nowMs, out.id(), 5).range())
                .isEqualTo("rule 1 of the policy keeps it in ssd..disk, pool etl of ssd");
    }

    @Test
    void anOwnShare_isTakenBackFromWhoeverIsFurthestAboveItsOwn_theColdestFirst() {
        twoPools();
        List<StampedBlock> cold = hot("/bi", 8, 4);
        List<StampedBlock> warm = hot("/bi", 6, 8);
        List<StampedBlock> rest = hot("/else", 8, 20);
        waits(90_000);
        assertThat(onSsd(cold) + onSsd(warm)).isEqualTo(14);
        assertThat(onSsd(rest)).isEqualTo(8);
        one.orders.clear();
        List<StampedBlock> etl = hot("/etl", 6, 4);
        waits(90_000);
        assertThat(onSsd(etl)).as("24 of its 27 MB").isEqualTo(6);
        assertThat(onSsd(rest)).as("32 of its 36 MB").isEqualTo(8);
        assertThat(onSsd(warm)).as("the hotter ones").isEqualTo(6);
        // 2 MB are free, so 22 MB are to come back.
        assertThat(onSsd(cold)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_POOL_RETURNS)).isEqualTo(6);
        StampedBlock gave = cold.stream()
                .filter(block -> tier(block, one) == StorageTier.DISK)
                .findFirst()
                .orElseThrow();
        var why = placement.reports().block(nowMs, gave.id(), 5);
        assertThat(why.lastMoves().get(0).reason()).endsWith(": pool etl takes its share of ssd back");
        assertThat(why.lastMoves().get(0).cause()).isEqualTo(Cause.FULL);
        read(one, gave, 50);
        assertThat(stays(gave)).matches("it made room for others: does not go up for [0-9]+ min");
    }

    @Test
    void roomThatIsGivenBack_isForWhoHasARightToIt_andNobodyTakesTurns() {
        twoPools();
        List<StampedBlock> bi = hot("/bi", 22, 20);
        waits(90_000);
        assertThat(onSsd(bi)).isEqualTo(22);
        List<StampedBlock> etl = hot("/etl", 6, 4);
        // Others of the borrower would take the room as soon as it is there.
        List<StampedBlock> more = hot("/bi", 10, 90);
        one.orders.clear();
        waits(300_000);
        assertThat(onSsd(etl)).isEqualTo(6);
        for (StampedBlock block :
                names.places.values().stream().map(Placed::block).toList()) {
            assertThat(ordered(one).stream().filter(order -> order.startsWith(block.id() + " ")))
                    .as("moves of %s", block)
                    .hasSizeLessThanOrEqualTo(1);
        }
        assertThat(onSsd(more))
                .as("in the place of colder ones of the same pool")
                .isPositive();
    }

    @Test
    void whatIsNotLent_staysFree() {
        pools("{name: etl, share: 10%, tiers: {ssd: {share: 30%, lend: false}}},"
                + " {name: bi, share: 10%, tiers: {ssd: {share: 30%, most: 100%}}}");
        List<StampedBlock> bi = hot("/bi", 22, 20);
        waits(90_000);
        // All but the 27 MB of the other one.
        assertThat(onSsd(bi)).isEqualTo(15);
        StampedBlock out = bi.stream()
                .filter(block -> tier(block, one) == StorageTier.DISK)
                .findFirst()
                .orElseThrow();
        assertThat(stays(out)).isEqualTo("pool bi has 60 MB of ssd there, 27 MB are its own, and others lend no more");
        List<StampedBlock> etl = hot("/etl", 6, 4);
        waits(20_000);
        assertThat(onSsd(etl)).isEqualTo(6);
        assertThat(onSsd(bi)).isEqualTo(15);
    }

    @Test
    void inPlaceOfAnother_aBlockComesOnlyWithinItsPool() {
        twoPools();
        List<StampedBlock> etl = hot("/etl", 6, 4);
        List<StampedBlock> bi = hot("/bi", 15, 30);
        waits(90_000);
        assertThat(onSsd(etl)).isEqualTo(6);
        assertThat(onSsd(bi)).isEqualTo(15);
        List<StampedBlock> more = hot("/bi", 4, 200);
        waits(90_000);
        assertThat(onSsd(more)).isEqualTo(4);
        assertThat(onSsd(etl)).as("though it is the coldest").isEqualTo(6);
    }

    @Test
    void strangersAndPinnedFiles_comeOffBeforeTheTierIsDivided() {
        twoPools();
        strangers = 30 * MB;
        StampedBlock pinned = block(++blocks, 10);
        place(pinned, "/etl/pinned", StorageTier.SSD, one);
        countRoomOfOne();
        one.arrives(pinned, true);
        read(one, pinned, 1);
        waits(10_000);
        // 30 % of 90 - 30 - 10 MB.
        assertThat(usage("etl").ownBytes()).isEqualTo(15 * MB);
        assertThat(usage("etl").usedBytes()).isZero();
        assertThat(placement.reports().block(nowMs, pinned.id(), 5).range()).endsWith("pinned, so in no pool of ssd");
        one.leaves(pinned);
        waits(70_000);
        assertThat(usage("etl").ownBytes()).isEqualTo(18 * MB);
        assertThat(usage("etl").usedBytes()).isEqualTo(10 * MB);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aBlockPinnedSinceTheColdestWereFound_doesNotHoldUpATierThatDrains() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /**, tiers: ssd..disk}]"));
        strangers = 84 * MB;
        StampedBlock first = block(++blocks, 4);
        place(first, "/first", StorageTier.SSD, one);
        countRoomOfOne();
        read(one, first, 20);
        waits(4_000);
        // There is no room for it, and the other one is no colder: the coldest are found, and none is taken.
        StampedBlock second = hot("/second", 1, 20).get(0);
        waits(1_000);
        one.arrives(first, true);
        read(one, first, 1);
        waits(3_000);
        strangers = 95 * MB;
        countRoomOfOne();
        waits(8_000);
        assertThat(tier(first, one)).isEqualTo(StorageTier.DISK);
        assertThat(tier(second, one)).isEqualTo(StorageTier.DISK);
    }

    @Test
    void aReplicaThatCouldGoNoFurtherDown_borrowsNothing() {
        placement.policy(
                nowMs,
                applied(
                        "policy: idecider",
                        "pools: [{name: etl, share: 10%, tiers: {ssd: {share: 30%, most: 100%}}}]",
                        "rules: [{path: /etl/**, pool: etl, tiers: ssd}]"));
        List<StampedBlock> etl = hot("/etl", 10, 1);
        waits(90_000);
        assertThat(onSsd(etl)).isEqualTo(6);
    }

    @Test
    void pinsThatTakeMoreThanIsDivided_leaveThePoolsNothing_andStay() {
        placement.policy(
                nowMs,
                applied(
                        "policy: idecider",
                        "pools: [{name: etl, share: 10%, tiers: {ssd: {share: 30%, most: 60%}}}]",
                        "rules: [{path: /pin/**, place: pin, tiers: ssd},"
                                + " {path: /etl/**, pool: etl, tiers: ssd..disk}]"));
        List<StampedBlock> pinned = hot("/pin", 22, 50);
        waits(90_000);
        assertThat(onSsd(pinned)).isEqualTo(22);
        strangers = 8 * MB;
        countRoomOfOne();
        List<StampedBlock> etl = hot("/etl", 3, 100);
        waits(90_000);
        // Pins have 88 MB of the 82 MB below the high-water mark that strangers leave.
        assertThat(usage("etl")).isEqualTo(new PoolUsage("ssd", "etl", 0, 0, 0));
        assertThat(onSsd(etl)).isZero();
        assertThat(onSsd(pinned)).isEqualTo(22);
        assertThat(stays(etl.get(0))).isEqualTo("pool etl has 0 MB of ssd there, at most 0 MB");
    }

    @Test
    void whosePoolIsNotKnownYet_stayUntilItIs() {
        twoPools();
        List<StampedBlock> bi = hot("/bi", 22, 50);
        waits(90_000);
        assertThat(onSsd(bi)).isEqualTo(22);
        // Other pools, of the same names. The NameNode says nothing of most blocks until their turn in the sweep.
        names.lockBlocks = 1;
        placement.policy(
                nowMs,
                applied(
                        "policy: idecider",
                        "pools: [{name: bi, share: 10%, tiers: {ssd: {share: 50%, most: 100%}}},"
                                + " {name: etl, share: 10%, tiers: {ssd: {share: 30%}}}]",
                        RULES));
        assertThat(usage("bi").usedBytes()).isZero();
        assertThat(placement.reports().block(nowMs, bi.get(0).id(), 5).range())
                .endsWith("its pool of ssd is not known yet");
        List<StampedBlock> etl = hot("/etl", 1, 50);
        for (int i = 0; i < 200 && onSsd(bi) == 22; i++) {
            beats(1);
        }
        assertThat(usage("bi").usedBytes())
                .as("of those that are known, with the one that goes")
                .isGreaterThan(usage("bi").ownBytes() - 4 * MB);
        beats(2);
        assertThat(lastMove().reason()).endsWith(": pool etl takes its share of ssd back");
        waits(120_000);
        assertThat(onSsd(etl)).isEqualTo(1);
        assertThat(usage("bi").usedBytes()).isEqualTo(onSsd(bi) * 4 * MB);
    }

    @Test
    void aboveTheHighWaterMark_whoBorrowedMostGoesDownFirst() {
        twoPools();
        List<StampedBlock> etl = hot("/etl", 6, 4);
        List<StampedBlock> bi = hot("/bi", 15, 30);
        waits(90_000);
        strangers = 20 * MB;
        countRoomOfOne();
        waits(30_000);
        // Of the 70 MB that strangers leave each owns 21 MB; 14 MB are too many.
        assertThat(onSsd(etl)).as("though it is the coldest").isEqualTo(6);
        assertThat(onSsd(bi)).isEqualTo(11);
    }

    @Test
    void tooCold_theyGoDownAsWithoutPools() {
        twoPools();
        List<StampedBlock> etl = hot("/etl", 3, 4);
        waits(20_000);
        assertThat(onSsd(etl)).isEqualTo(3);
        nowMs += TimeUnit.DAYS.toMillis(2);
        beats(2);
        waits(70_000);
        assertThat(onSsd(etl)).isZero();
        assertThat(usage("etl").usedBytes()).isZero();
    }

    @Test
    void deleted_doesNotCountAnyMore_thoughItsHeatWasForgottenBefore() {
        int tracked = 1_000;
        placement = new PlacementEngine(
                settings(Map.of("terrace.placement.tracked.blocks", String.valueOf(tracked))), names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.wantsFull = true;
        two.wantsFull = true;
        twoPools();
        StampedBlock block = hot("/etl", 1, 50).get(0);
        waits(10_000);
        assertThat(usage("etl").usedBytes()).isEqualTo(4 * MB);
        for (int id = 1; id <= tracked; id++) {
            two.reads(block(10_000 + id, 1), 1);
        }
        beats(20);
        assertThat(placement.reports().block(nowMs, block.id(), 1).heat()).isNull();
        assertThat(usage("etl").usedBytes()).isEqualTo(4 * MB);
        names.places.remove(block.id());
        waits(130_000);
        assertThat(usage("etl").usedBytes()).isZero();
    }

    @Test
    void anOrderThatFails_givesItsRoomBack() {
        twoPools();
        one.carryOutVolumeMove = (epoch, order) -> failed(epoch, order);
        hot("/etl", 3, 50);
        waits(5_000);
        assertThat(ordered(one)).isNotEmpty();
        waits(1_000);
        assertThat(usage("etl").usedBytes())
                .isEqualTo(placement.reports().volumeMoves(100).stream()
                                .filter(move -> move.outcome() == null)
                                .count()
                        * 4
                        * MB);
    }

    @Test
    void anOrderThatIsNotSent_givesItsRoomBack() {
        twoPools();
        StampedBlock block = hot("/etl", 1, 50).get(0);
        for (int i = 0; i < 40 && usage("etl").usedBytes() == 0; i++) {
            beat(two);
        }
        assertThat(usage("etl").usedBytes()).isEqualTo(4 * MB);
        // What the NameNode said does not count any more.
        for (int i = 0; i < 24; i++) {
            beat(two);
        }
        put(block, one, StorageTier.DISK, "the DataNode is decommissioned or in maintenance");
        beat(one);
        assertThat(ordered(one)).isEmpty();
        assertThat(usage("etl").usedBytes()).isZero();
    }

    private static Result failed(long epoch, MoveOrder order) {
        return result(epoch, order, MoveOutcome.FAILED, order.from());
    }
}
