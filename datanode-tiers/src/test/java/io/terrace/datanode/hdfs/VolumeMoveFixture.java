package io.terrace.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A DataNode with volumes of all types, for tests of moves that something disturbs. */
abstract class VolumeMoveFixture {

    static final int BYTES = 700_003;

    static TerraceCluster cluster;
    static TieredVolumes volumes;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setLong(DFSConfigKeys.DFS_BLOCKREPORT_INTERVAL_MSEC_KEY, 5_000);
        cluster = TerraceCluster.start(1, conf, TieredVolumes.TYPES);
        volumes = new TieredVolumes(cluster);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @AfterEach
    void noHook() {
        volumes.mover().onStep(step -> {});
    }
}
