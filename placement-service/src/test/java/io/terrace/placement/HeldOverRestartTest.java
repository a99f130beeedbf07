package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What others moved is left alone after a restart of the NameNode too, as the journal says so. */
class HeldOverRestartTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);
    private static final String RULE = "- path: /a/**";

    private SteppedJournal journal;

    @BeforeEach
    void begin() {
        journal = keepJournal();
    }

    private void moverTakesItHome() {
        rules(RULE, "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        read(one, BLOCK, 50);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        waits(5_000);
        read(one, BLOCK, 1); // The NameNode knows by now.
        waits(5_000);
        put(BLOCK, one, StorageTier.DISK, null);
        waits(70_000);
        one.orders.clear();
    }

    private void restart() {
        restart(journal, EPOCH + 1);
        rules(RULE, "  tiers: ssd..disk");
        beats(2);
    }

    private String stays() {
        return placement.reports().block(nowMs, 1, 5).replicas().get(0).stays();
    }

    @Test
    void movedByOthersBeforeARestart_isLeftAloneForTheRestOfTheHours() {
        moverTakesItHome();
        restart();
        read(one, BLOCK, 50);
        waits(120_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(stays()).contains("moved from ssd to disk by others", "left alone for 35");
        nowMs += TimeUnit.HOURS.toMillis(6);
        beats(2);
        read(one, BLOCK, 50);
        waits(10_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
    }

    @Test
    void journalThatTellsLate_holdsForWhatWasLookedAtMeanwhile() {
        moverTakesItHome();
        restartBeforeTheJournal(journal, EPOCH + 1);
        rules(RULE, "  tiers: ssd..disk");
        beats(2);
        read(one, BLOCK, 1);
        waits(1_000);
        assertThat(stays()).as("known, and not that others moved it").isNull();
        journal.turn(TimeUnit.MILLISECONDS.toNanos(nowMs));
        read(one, BLOCK, 50);
        waits(120_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(stays()).contains("moved from ssd to disk by others");
    }

    @Test
    void movedElsewhereBeforeTheServiceIsBack_isNotTakenForThat() {
        moverTakesItHome();
        put(BLOCK, one, StorageTier.SSD, null);
        restart();
        read(one, BLOCK, 1);
        waits(10_000);
        assertThat(stays()).isNull();
    }

    @Test
    void anotherEpochOfTheSameProcess_knowsItToo() {
        moverTakesItHome();
        placement.activate(EPOCH + 1, OperatorState.initial());
        beats(2);
        read(one, BLOCK, 50);
        waits(70_000);
        assertThat(ordered(one)).isEmpty();
    }
}
