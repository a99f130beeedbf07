package io.terrace.placement.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.DataNodeFixture;
import org.junit.jupiter.api.Test;

class HeldReplicasTest extends DataNodeFixture {

    private static final Place REST = new Place("node", StorageTier.DISK);
    private static final long MOST = 10_000;

    private final HeldReplicas held = new HeldReplicas(clusterState);

    @Test
    void movedByOthers_knownAgainInTheSameProcess_isLeftAlone() {
        held.note(1, REST.leftAlone(100, "moved"));
        assertThat(held.remembered(99, 1, REST).movedBy()).isEqualTo("moved");
        assertThat(held.remembered(100, 1, REST)).isEqualTo(REST);
    }

    @Test
    void moreThanTheJournalKeeps_theOldestMakesRoom() {
        for (long id = 0; id < MOST; id++) {
            held.note(id, REST.leftAlone(100, "moved"));
        }
        held.note(0, REST.leftAlone(200, "moved again"));
        held.note(MOST, REST.leftAlone(100, "moved"));
        assertThat(held.remembered(50, 0, REST).movedBy()).isEqualTo("moved again");
        assertThat(held.remembered(50, 1, REST)).isEqualTo(REST);
        assertThat(held.remembered(50, 2, REST).movedBy()).isEqualTo("moved");
    }
}
