package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.AdminProtos.MoveProto;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A file that was never read since the NameNode started is found by the DataNodes, and goes down by its age. */
@Tag("cluster")
class UnreadFilesTest {

    private final Path unread = new Path("/data/unread");
    private final Path elsewhere = new Path("/other/unread");
    private FourTierCluster tiers;

    @BeforeEach
    void start() throws Exception {
        tiers = new FourTierCluster(Map.of());
        for (Path file : List.of(unread, elsewhere)) {
            tiers.fs.mkdirs(file.getParent());
            tiers.fs.setStoragePolicy(file.getParent(), "ALL_SSD");
            tiers.create(file);
        }
    }

    @AfterEach
    void stop() throws IOException {
        tiers.close();
    }

    @Test
    void restartWithoutAJournal_neverRead_sinks() throws Exception {
        List<StorageType> onSsd = List.of(StorageType.SSD, StorageType.SSD);
        assertThat(tiers.types(unread)).isEqualTo(onSsd);
        tiers.rules("- path: /data/**", "  tiers: ssd..disk", "  keep: 1m");
        tiers.cluster.restartNameNode();
        tiers.cluster.waitActive();
        assertThat(tiers.types(unread)).isEqualTo(onSsd);
        // A minute of counting accesses, and a walk over the volumes.
        await().atMost(FourTierCluster.PATIENCE.multipliedBy(4))
                .until(() -> tiers.types(unread).equals(List.of(StorageType.DISK, StorageType.DISK)));
        assertThat(tiers.types(elsewhere)).isEqualTo(onSsd);
        assertThat(tiers.moves().getMovesList())
                .extracting(MoveProto::getCause)
                .isNotEmpty()
                .containsOnly("cold");
        assertThat(DFSTestUtil.readFileAsBytes(tiers.fs, unread)).isEqualTo(tiers.bytes);
    }
}
