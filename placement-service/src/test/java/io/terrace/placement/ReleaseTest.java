package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.volume.HomeMoves.Outcome;
import io.terrace.protocol.StampedBlock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An operator brings replicas home to their storage policy. */
class ReleaseTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    private Outcome release(boolean dryRun, StorageTier... tiers) {
        return placement.release(nowMs, new Home(names.places.get(BLOCK.id()), "HOT", List.of(tiers)), dryRun);
    }

    @Test
    void replicasGoHome_andNoRuleMovesThemForHours() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  replicas: all");
        place(BLOCK, "/a/file", StorageTier.DISK, one, two);
        read(one, BLOCK, 9);
        assertThat(tier(BLOCK, one)).isEqualTo(StorageTier.SSD);
        assertThat(tier(BLOCK, two)).isEqualTo(StorageTier.SSD);

        Outcome outcome = release(false, StorageTier.DISK, StorageTier.DISK);
        assertThat(outcome.off()).isEqualTo(2);
        assertThat(outcome.refusals()).isEmpty();
        assertThat(outcome.open()).extracting(Move::cause).containsOnly(Cause.OPERATOR);
        beats(4);
        assertThat(ordered(one)).containsExactly("1 DISK SSD", "1 SSD DISK");
        assertThat(ordered(two)).containsExactly("1 DISK SSD", "1 SSD DISK");

        for (int i = 0; i < 10; i++) {
            read(one, BLOCK, 9);
            waits(TimeUnit.MINUTES.toMillis(2));
        }
        assertThat(ordered(one)).hasSize(2);
        assertThat(ordered(two)).hasSize(2);
        assertThat(release(true, StorageTier.DISK, StorageTier.DISK).off()).isZero();
    }

    @Test
    void withoutARule_replicasGoHomeToo() {
        place(BLOCK, "/a/file", StorageTier.NVM, one, two);
        assertThat(release(false, StorageTier.DISK, StorageTier.DISK).open()).hasSize(2);
        beats(4);
        assertThat(ordered(one)).containsExactly("1 NVM DISK");
        assertThat(ordered(two)).containsExactly("1 NVM DISK");
    }

    @Test
    void aReplicaThatIsWhereThePolicyWantsOne_stays() {
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        Outcome outcome = release(false, StorageTier.SSD, StorageTier.DISK);
        assertThat(outcome.off()).isEqualTo(1);
        beats(4);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).containsExactly("1 SSD DISK");
    }

    @Test
    void whereOneHasAChoice_itLeavesTheOtherItsOnlyPlace() {
        use(two, StorageTier.DISK, ROOM);
        place(BLOCK, "/a/file", StorageTier.ARCHIVE, one, two);
        Outcome outcome = release(false, StorageTier.SSD, StorageTier.DISK);
        assertThat(outcome.refusals()).isEmpty();
        beats(4);
        assertThat(ordered(one)).containsExactly("1 ARCHIVE DISK");
        assertThat(ordered(two)).containsExactly("1 ARCHIVE SSD");
    }

    @Test
    void withoutAVolumeOfTheType_theReplicaStays_andItIsSaid() {
        Map<StorageTier, VolumeSpace> ssdOnly = new EnumMap<>(StorageTier.class);
        ssdOnly.put(StorageTier.SSD, new VolumeSpace(ROOM, ROOM));
        names.spaces.put(two.uuid, ssdOnly);
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        Outcome outcome = release(false, StorageTier.DISK, StorageTier.DISK);
        assertThat(outcome.off()).isEqualTo(2);
        assertThat(outcome.open()).hasSize(1);
        assertThat(outcome.refusals()).singleElement().asString().contains("no other volume with room", "HOT");
        beats(4);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        assertThat(ordered(two)).isEmpty();
    }

    @Test
    void askedAgain_theSameMovesAreOpen() {
        one.carryOutVolumeMove = (epoch, order) -> null;
        place(BLOCK, "/a/file", StorageTier.SSD, one);
        Outcome first = release(false, StorageTier.DISK);
        beats(4);
        assertThat(release(false, StorageTier.DISK)).isEqualTo(first);
        assertThat(ordered(one)).hasSize(1);
    }

    @Test
    void dryRun_andPaused_moveNothing() {
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        Outcome outcome = release(true, StorageTier.DISK, StorageTier.DISK);
        assertThat(outcome.off()).isEqualTo(2);
        assertThat(outcome.open()).isEmpty();
        placement.operatorState(OperatorState.initial().withMoves(false));
        Outcome paused = release(false, StorageTier.DISK, StorageTier.DISK);
        assertThat(paused.off()).isEqualTo(2);
        assertThat(paused.open()).isEmpty();
        assertThat(paused.refusals()).containsOnly("moves are paused").hasSize(2);
        assertThat(release(false, StorageTier.SSD, StorageTier.SSD).refusals()).isEmpty();
        beats(4);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).isEmpty();
    }

    @Test
    void replicasOfABlockThatIsWritten_areOffUntilItIsComplete() {
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        names.places.put(BLOCK.id(), names.places.get(BLOCK.id()).stopped("the block is being written or recovered"));
        Outcome outcome = release(false, StorageTier.DISK, StorageTier.DISK);
        assertThat(outcome.off()).isEqualTo(2);
        assertThat(outcome.open()).isEmpty();
        assertThat(outcome.refusals())
                .containsOnly("the block is being written or recovered: ask again")
                .hasSize(2);
        assertThat(release(false, StorageTier.SSD, StorageTier.SSD).refusals()).isEmpty();
    }

    @Test
    void aPolicyOnRamDisk_isLeftAlone() {
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        assertThat(release(false).refusals()).singleElement().asString().contains("keeps replicas where");
    }
}
