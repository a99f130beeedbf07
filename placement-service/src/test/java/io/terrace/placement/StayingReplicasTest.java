package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Replicas that stay though their rule gives other tiers, and what explain says of them. */
class StayingReplicasTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    @Test
    void mayNotBeMoved_stays() {
        rules("- path: /a/**", "  tiers: nvm");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        put(block(1, 4), one, StorageTier.DISK, "the DataNode is decommissioned or in maintenance");
        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        names.places.put(
                2L,
                new Placed(
                        block(2, 4),
                        "/a/2",
                        "the block is erasure-coded",
                        names.places.get(2L).replicas()));
        place(block(3, 4), "/a/3", StorageTier.DISK, one);
        names.places.put(
                3L,
                new Placed(
                        block(3, 4),
                        "/a/3",
                        null,
                        List.of(new PlacedReplica("one", null, "replicas on RAM_DISK are not moved"))));
        place(block(4, 4), "/a/4", StorageTier.DISK, two);
        two.takesVolumeMoves = false;
        for (int i = 1; i <= 3; i++) {
            read(one, block(i, 4), 9);
        }
        read(two, block(4, 4), 9);
        waits(70_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).isEmpty();
    }

    private void quota(StampedBlock block, StorageTier... policy) {
        Placed before = names.places.get(block.id());
        names.places.put(
                block.id(),
                new Placed(
                        before.block(),
                        before.path(),
                        before.annotations(),
                        null,
                        before.replicas(),
                        List.of(policy),
                        -1));
    }

    @Test
    void underAQuotaByStorageType_aRangeStaysWithinThePolicysTypes() {
        rules("- path: /a/**", "  tiers: nvm..archive");
        place(BLOCK, "/a/file", StorageTier.DISK, one, two);
        quota(BLOCK, StorageTier.SSD, StorageTier.DISK);
        read(one, BLOCK, 9);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(placement.reports().block(nowMs, 1, 5).range())
                .isEqualTo(
                        "rule 1 of the policy keeps it in ssd..disk of its tiers: a quota by storage type binds it to the"
                                + " storage policy");
        nowMs += TimeUnit.DAYS.toMillis(1);
        beats(1);
        waits(70_000);
        assertThat(ordered(one)).as("not to archive").containsExactly("1 DISK SSD", "1 SSD DISK");
    }

    @Test
    void underAQuotaByStorageType_withoutThePolicysTypesInTheRange_staysAndExplainSaysSo() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        quota(BLOCK, StorageTier.DISK);
        read(one, BLOCK, 9);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(stays(1)).startsWith("a directory above it has a quota by storage type");
    }

    @Test
    void rangeWithoutATypeOfTheStoragePolicy_isSaid() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).as("it is meant").containsExactly("1 DISK SSD");
        Placed placed = names.places.get(BLOCK.id());
        assertThat(placement.offPolicy(new Home(placed, "HOT", List.of(StorageTier.DISK))))
                .isEqualTo("storage policy HOT wants none of these types: hdfs mover takes replicas out of them");
        assertThat(placement.offPolicy(new Home(placed, "ONE_SSD", List.of(StorageTier.SSD, StorageTier.DISK))))
                .isNull();
        assertThat(placement.offPolicy(new Home(placed, "LAZY_PERSIST", List.of())))
                .isNull();
        place(BLOCK, "/b/file", StorageTier.DISK, one);
        assertThat(placement.offPolicy(new Home(names.places.get(BLOCK.id()), "HOT", List.of(StorageTier.DISK))))
                .isNull();
    }

    private BlockReport report(long id, Placed placed) {
        return placement
                .reports()
                .blocks(nowMs, List.of(new PlacementReports.Asked(id, Set.of("one"), placed)), 5)
                .get(0);
    }

    private String stays(long id) {
        return placement.reports().block(nowMs, id, 5).replicas().get(0).stays();
    }

    @Test
    void whatStays_isSaidByExplain() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        names.places.put(1L, names.places.get(1L).stopped("the block is erasure-coded"));
        names.places.put(2L, names.places.get(2L).stopped("the block is being written or recovered"));
        for (int i = 3; i <= 4; i++) {
            String type = i == 3 ? "RAM_DISK" : "PROVIDED";
            place(block(i, 4), "/a/" + i, StorageTier.DISK, one);
            names.places.put(
                    (long) i,
                    new Placed(
                            block(i, 4),
                            "/a/" + i,
                            null,
                            List.of(new PlacedReplica("one", null, "replicas on " + type + " are not moved"))));
        }
        for (int i = 1; i <= 4; i++) {
            read(one, block(i, 4), 9);
        }
        assertThat(ordered(one)).isEmpty();
        assertThat(stays(1)).isEqualTo("the block is erasure-coded");
        assertThat(stays(2)).isEqualTo("the block is being written or recovered");
        assertThat(stays(3)).isEqualTo("replicas on RAM_DISK are not moved");
        assertThat(stays(4)).isEqualTo("replicas on PROVIDED are not moved");
    }

    @Test
    void stays_byWhatTheNameNodeSaysNow() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        // Reads of an erasure-coded block are not counted, so nobody has looked at it.
        Placed coded = names.places.get(1L).stopped("the block is erasure-coded");
        BlockReport report = report(1, coded);
        assertThat(report.range()).isEqualTo("rule 1 of the policy keeps it in nvm..ssd");
        assertThat(report.replicas()).extracting(ReplicaReport::stays).containsExactly("the block is erasure-coded");
        Placed elsewhere = new Placed(block(1, 4), "/b/1", "the block is erasure-coded", coded.replicas());
        report = report(1, elsewhere);
        assertThat(report.range()).isNull();
        assertThat(report.replicas().get(0).stays()).isNull();

        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        Placed closed = names.places.get(2L);
        names.places.put(2L, closed.stopped("the block is being written or recovered"));
        read(one, block(2, 4), 9);
        assertThat(stays(2)).isEqualTo("the block is being written or recovered");
        report = report(2, closed);
        assertThat(report.replicas().get(0).stays()).isNull();
    }
}
