package io.terrace.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.junit.jupiter.api.Test;

/** The faster of equally near replicas comes first, and nothing else changes. */
class ReplicaOrderTest {

    private static final long STALE_MS = 30_000;
    private static final long NOW_MS = 1_000_000;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final Map<String, Integer> distances = new HashMap<>();
    private final List<DatanodeInfoWithStorage> replicas = new ArrayList<>();

    private DatanodeInfoWithStorage replica(String name, String rack, StorageType type) {
        DatanodeID id = new DatanodeID("10.0.0." + replicas.size(), name, name, 1, 2, 3, 4);
        DatanodeInfo node = new DatanodeInfoBuilder()
                .setNodeID(id)
                .setNetworkLocation(rack)
                .setLastUpdateMonotonic(NOW_MS)
                .build();
        DatanodeInfoWithStorage replica = new DatanodeInfoWithStorage(node, "storage-" + name, type);
        replicas.add(replica);
        return replica;
    }

    private LocatedBlock block() {
        DatanodeInfoWithStorage[] all = replicas.toArray(DatanodeInfoWithStorage[]::new);
        return new LocatedBlock(
                new ExtendedBlock("pool", 1, 2, 3),
                all,
                Arrays.stream(all).map(DatanodeInfoWithStorage::getStorageID).toArray(String[]::new),
                Arrays.stream(all).map(DatanodeInfoWithStorage::getStorageType).toArray(StorageType[]::new),
                0,
                false,
                null);
    }

    private List<String> ordered(LocatedBlock block) {
        apply(true, block);
        return names(block);
    }

    private void apply(boolean enabled, LocatedBlock block) {
        LocatedBlocks blocks = new LocatedBlocks(2, false, List.of(block), null, true, null, null);
        new ReplicaOrder(enabled, STALE_MS, metricRegistry)
                .apply(blocks, node -> distances.getOrDefault(node.getHostName(), Integer.MAX_VALUE));
    }

    private static List<String> names(LocatedBlock block) {
        return Arrays.stream(block.getLocations())
                .map(DatanodeInfo::getHostName)
                .toList();
    }

    private long passed() {
        return metricRegistry.value(Metric.CLIENT_FS_FASTER_TYPE);
    }

    @Test
    void replicasOfOneRack_areOrderedByType_andTheirStoragesWithThem() {
        replica("archive", "/r1", StorageType.ARCHIVE);
        replica("disk", "/r1", StorageType.DISK);
        replica("nvdimm", "/r1", StorageType.NVDIMM);
        replica("ssd", "/r1", StorageType.SSD);
        LocatedBlock block = block();
        assertThat(ordered(block)).containsExactly("nvdimm", "ssd", "disk", "archive");
        assertThat(block.getStorageTypes())
                .containsExactly(StorageType.NVDIMM, StorageType.SSD, StorageType.DISK, StorageType.ARCHIVE);
        assertThat(block.getStorageIDs())
                .containsExactly("storage-nvdimm", "storage-ssd", "storage-disk", "storage-archive");
        assertThat(passed()).isEqualTo(1);
        // A second time nothing changes.
        assertThat(ordered(block)).containsExactly("nvdimm", "ssd", "disk", "archive");
        assertThat(passed()).isEqualTo(1);
    }

    @Test
    void replicasOfOneType_keepTheNameNodesOrder() {
        replica("c", "/r1", StorageType.DISK);
        replica("a", "/r1", StorageType.DISK);
        replica("b", "/r1", StorageType.DISK);
        assertThat(ordered(block())).containsExactly("c", "a", "b");
        assertThat(passed()).isZero();
    }

    @Test
    void equalTypes_keepTheirOrderAmongOthers() {
        replica("disk1", "/r1", StorageType.DISK);
        replica("disk2", "/r1", StorageType.DISK);
        replica("ssd1", "/r1", StorageType.SSD);
        replica("ssd2", "/r1", StorageType.SSD);
        assertThat(ordered(block())).containsExactly("ssd1", "ssd2", "disk1", "disk2");
    }

    @Test
    void fasterReplica_onAnotherRack_doesNotPass() {
        replica("disk", "/r1", StorageType.DISK);
        replica("nvdimm", "/r2", StorageType.NVDIMM);
        replica("ssd", "/r1", StorageType.SSD);
        assertThat(ordered(block())).containsExactly("ssd", "nvdimm", "disk");
    }

    @Test
    void fasterReplica_thatIsFarther_doesNotPass_alsoOnTheSameRack() {
        distances.put("here", 0);
        replica("here", "/r1", StorageType.DISK);
        replica("nvdimm", "/r1", StorageType.NVDIMM);
        assertThat(ordered(block())).containsExactly("here", "nvdimm");
        assertThat(passed()).isZero();
    }

    @Test
    void replicasAsFar_onDifferentRacks_areOrdered_whereDistancesAreKnown() {
        distances.putAll(Map.of("disk", 4, "ssd", 4, "near", 2));
        replica("near", "/r0", StorageType.ARCHIVE);
        replica("disk", "/r1", StorageType.DISK);
        replica("ssd", "/r2", StorageType.SSD);
        assertThat(ordered(block())).containsExactly("near", "ssd", "disk");
        assertThat(passed()).as("the first stays").isZero();
    }

    @Test
    void dataNodeThatLeaves_passesNone_andIsPassedByNone() {
        replica("disk", "/r1", StorageType.DISK);
        replica("leaving", "/r1", StorageType.NVDIMM).startDecommission();
        replica("ssd", "/r1", StorageType.SSD);
        assertThat(ordered(block())).containsExactly("ssd", "leaving", "disk");
    }

    @Test
    void dataNodeNotHeardOf_passesNone() {
        replica("disk", "/r1", StorageType.DISK);
        replica("silent", "/r1", StorageType.NVDIMM).setLastUpdateMonotonic(NOW_MS - STALE_MS);
        assertThat(ordered(block())).containsExactly("disk", "silent");
        replicas.get(1).setLastUpdateMonotonic(NOW_MS - STALE_MS + 1);
        assertThat(ordered(block())).containsExactly("silent", "disk");
    }

    @Test
    void blockWithACachedReplica_keepsItsOrder() {
        DatanodeInfoWithStorage disk = replica("disk", "/r1", StorageType.DISK);
        replica("ssd", "/r1", StorageType.SSD);
        LocatedBlock block = block();
        block.addCachedLoc(disk);
        assertThat(ordered(block)).containsExactly("disk", "ssd");
    }

    @Test
    void withTheNameNodesOrder_nothingChanges() {
        replica("disk", "/r1", StorageType.DISK);
        replica("ssd", "/r1", StorageType.SSD);
        LocatedBlock block = block();
        apply(false, block);
        assertThat(names(block)).containsExactly("disk", "ssd");
    }
}
