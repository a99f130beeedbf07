package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.server.balancer.ExitStatus;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Mover that runs every night, on a cluster whose DataNodes refuse it what a range of tiers keeps. */
@Tag("cluster")
class MoverGuardTest {

    private static final Path FILE = new Path("/kept/file");
    private static final Path OTHER = new Path("/other/file");
    private static final List<StorageType> ON_SSD = List.of(StorageType.SSD, StorageType.SSD);
    private static final List<StorageType> ON_DISK = List.of(StorageType.DISK, StorageType.DISK);
    private static final List<StorageType> ON_ARCHIVE = List.of(StorageType.ARCHIVE, StorageType.ARCHIVE);

    @Test
    void mover_leavesWhatARangeKeeps_andMovesTheRest() throws Exception {
        try (FourTierCluster tiers = new FourTierCluster(
                Map.of("terrace.datanode.move.guard", "true", "dfs.mover.retry.max.attempts", "2"))) {
            tiers.create(FILE);
            tiers.create(OTHER);
            tiers.rules("- path: /kept/**", "  tiers: ssd");
            await().atMost(FourTierCluster.PATIENCE).until(() -> {
                DFSTestUtil.readFileAsBytes(tiers.fs, FILE);
                return tiers.types(FILE).equals(ON_SSD) && tiers.moves().getInFlight() == 0;
            });
            tiers.fs.setStoragePolicy(OTHER, "COLD");

            assertThat(mover(tiers, FILE)).isEqualTo(ExitStatus.NO_MOVE_PROGRESS.getExitCode());
            assertThat(tiers.types(FILE)).isEqualTo(ON_SSD);
            assertThat(mover(tiers, OTHER)).isEqualTo(ExitStatus.SUCCESS.getExitCode());
            await().atMost(FourTierCluster.PATIENCE)
                    .until(() -> tiers.types(OTHER).equals(ON_ARCHIVE));

            // Terrace's own order takes it home, and with the mark gone the Mover may have it.
            tiers.rules("- path: /kept/**", "  satisfy: true");
            await().atMost(FourTierCluster.PATIENCE)
                    .until(() ->
                            tiers.types(FILE).equals(ON_DISK) && tiers.moves().getInFlight() == 0);
            tiers.rules("- path: /none", "  place: never");
            tiers.fs.setStoragePolicy(FILE, "COLD");
            assertThat(mover(tiers, FILE)).isEqualTo(ExitStatus.SUCCESS.getExitCode());
            await().atMost(FourTierCluster.PATIENCE)
                    .until(() -> tiers.types(FILE).equals(ON_ARCHIVE));
        }
    }

    private static int mover(FourTierCluster tiers, Path path) throws Exception {
        Configuration conf = new Configuration(tiers.cluster.getConfiguration(0));
        // Of the Mover's own file; a cached client would have what the cluster without DataNodes began with.
        conf.setInt("dfs.replication", 1);
        conf.setBoolean("fs.hdfs.impl.disable.cache", true);
        // It pauses for two heartbeats and this after each round.
        conf.setInt("dfs.heartbeat.interval", 0);
        conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
        return ToolRunner.run(conf, new Mover.Cli(), new String[] {"-p", path.toString()});
    }
}
