package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class VolumeMovesTest {
    private static final String UP = "2026-11-28 12:12:08,016 INFO  io.terrace.datanode.hdfs.volume.VolumeMove: Moved"
            + " BP-1-127.0.0.1-1:blk_1073741838_1015 from /dev/shm/t/volumes/3/disk to /dev/shm/t/volumes/3/ssd";
    private static final String DOWN = "2026-11-28 12:12:09,016 INFO  io.terrace.datanode.hdfs.volume.VolumeMove: Moved"
            + " BP-1-127.0.0.1-1:blk_1073741838_1015 from /dev/shm/t/volumes/3/ssd to /dev/shm/t/volumes/3/disk";

    private final VolumeMoves moves = new VolumeMoves();

    @Test
    void line_ofADataNode_countsOnce() {
        moves.take("datanode-3", UP);
        moves.take("datanode-3", UP);
        moves.take("datanode-3", DOWN);
        moves.take("datanode-2", UP);
        moves.take("datanode-2", "2026-11-28 12:12:08,016 INFO  io.terrace.datanode.hdfs.volume.Other: Moved nothing");

        assertThat(moves.figures()).containsEntry("volume.moved", 3L).containsEntry("volume.moved.up", 2L);
    }

    @Test
    void figures_ofANameNodeThatIsStartedAgain_areAddedUp() {
        moves.takeOfService(7, Map.of("placement.volume.moves.changed", 2L));
        moves.takeOfService(7, Map.of("placement.volume.moves.changed", 5L));
        moves.takeOfService(8, Map.of("placement.volume.moves.changed", 1L));
        moves.takeOfService(9, Map.of());
        moves.takeOfDataNode(5, Map.of("heartbeats.outranked", 4L));

        assertThat(moves.figures()).containsEntry("volume.moves.changed", 6L).containsEntry("heartbeats.outranked", 4L);
    }
}
