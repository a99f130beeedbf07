package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules of {@code conf/placement.yaml} for job output and for HBase's write-ahead logs, once they are no comment. */
@Tag("cluster")
class ShippedRulesTest {

    private static final List<StorageType> DISKS = List.of(StorageType.DISK, StorageType.DISK);
    private static final List<StorageType> SSDS = List.of(StorageType.SSD, StorageType.SSD);
    private static final List<StorageType> NVMS = List.of(StorageType.NVDIMM, StorageType.NVDIMM);

    private FourTierCluster tiers;

    @BeforeEach
    void start() throws Exception {
        tiers = new FourTierCluster(Map.of(TerraceSettings.PLACEMENT_VOLUME_COLD.key(), "1m"));
        String shipped = Files.readString(java.nio.file.Path.of("..", "conf", "placement.yaml"));
        String rules = shipped.substring(
                        shipped.indexOf("#  - path: /**/_temporary/**"), shipped.indexOf("#  - path: /tmp/**"))
                .replaceAll("(?m)^# [A-Z].*\\n", "")
                .replaceAll("(?m)^#", "");
        tiers.inForce("policy: lru\nrules:\n" + rules);
    }

    @AfterEach
    void stop() throws IOException {
        tiers.close();
    }

    private void create(Path file, String storagePolicy) throws IOException {
        tiers.fs.mkdirs(file.getParent());
        tiers.fs.setStoragePolicy(file.getParent(), storagePolicy);
        tiers.create(file);
    }

    private boolean inMemory(Path file) throws Exception {
        assertThat(DFSTestUtil.readFileAsBytes(tiers.fs, file)).isEqualTo(tiers.bytes);
        BlockReportProto block = tiers.explain(file).getBlocks(0);
        return block.getReplicasList().stream().anyMatch(ReplicaProto::getInMemory);
    }

    private void awaitInMemory(Path file) {
        // A path that was looked up holds for a minute.
        await().alias(file + " in memory")
                .atMost(FourTierCluster.PATIENCE.multipliedBy(3))
                .until(() -> inMemory(file));
    }

    @Test
    void jobOutput_isInMemoryOnceItIsRenamed_andStaysOnNvmWhileItIsYoung() throws Exception {
        Path attempt = new Path("/jobs/7/output/_temporary/0/part-0");
        Path output = new Path("/jobs/7/output/part-0");
        Path other = new Path("/warehouse/other");
        create(attempt, "ALL_NVDIMM");
        tiers.fs.setStoragePolicy(output.getParent(), "ALL_NVDIMM");
        tiers.create(other);
        assertThat(inMemory(attempt)).isFalse();
        awaitInMemory(other);
        assertThat(inMemory(attempt)).isFalse();
        assertThat(tiers.explain(attempt).getBlocks(0).getExcluded())
                .isEqualTo("rule 1 of the policy keeps it out of memory");

        tiers.fs.rename(attempt, output);
        awaitInMemory(output);
        assertThat(tiers.types(output)).isEqualTo(NVMS);
        assertThat(tiers.explain(output).getBlocks(0).getRange()).contains("nvm..disk");
    }

    @Test
    void writeAheadLogs_areNeverInMemory_andMakeRoomOnceTheyAreOld() throws Exception {
        Path log = new Path("/hbase/WALs/host,16020,1/wal.1");
        Path old = new Path("/hbase/oldWALs/wal.1");
        Path other = new Path("/warehouse/other");
        create(log, "ALL_SSD");
        tiers.fs.mkdirs(old.getParent());
        tiers.create(other);
        assertThat(inMemory(log)).isFalse();
        awaitInMemory(other);
        assertThat(inMemory(log)).isFalse();
        assertThat(tiers.types(log)).isEqualTo(SSDS);

        tiers.fs.rename(log, old);
        // A minute of counting accesses, and a walk over the volumes.
        await().atMost(FourTierCluster.PATIENCE.multipliedBy(4))
                .until(() -> tiers.types(old).equals(DISKS));
        assertThat(inMemory(old)).isFalse();
    }
}
