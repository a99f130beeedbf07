package io.terrace.bench.tierfaults;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.tierfaults.ReplicaAudit.Node;
import io.terrace.bench.tierfaults.ReplicaAudit.OnDisk;
import io.terrace.bench.tierfaults.ReplicaAudit.Place;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

class KillPointTest {
    @Test
    void point_ofASeed_isTheSameEachTime_andTheNextBeginsWhereItEnds() {
        for (long seed = 1; seed <= 8; seed++) {
            KillPoint point = KillPoint.ofNameNode(seed);
            assertThat(KillPoint.ofNameNode(seed)).isEqualTo(point);
            assertThat(KillPoint.ofNameNode(seed + 1).from()).isEqualTo(point.to());
            assertThat(point.to()).isNotEqualTo(point.from());
            assertThat(point.arrived()).isBetween(0.0, 0.9);
        }
    }

    @Test
    void points_meetEachDataNode_andEachTier() {
        List<KillPoint> points = LongStream.rangeClosed(1, 50)
                .mapToObj(seed -> KillPoint.ofDataNode(seed, 2))
                .toList();
        assertThat(points).extracting(KillPoint::datanode).containsOnly(1, 2);
        assertThat(points)
                .extracting(KillPoint::to)
                .containsOnly(StorageType.SSD, StorageType.NVDIMM, StorageType.ARCHIVE, StorageType.DISK);
    }

    @Test
    void audit_countsBlocksInTwoVolumes_andMetaFilesWithoutData() {
        Node node = new Node(1, Path.of("/volumes"));
        Place ssd = new Place(node, StorageType.SSD);
        Place disk = new Place(node, StorageType.DISK);
        OnDisk found = new OnDisk(
                Map.of(1L, List.of(ssd, disk), 2L, List.of(disk)),
                Map.of(1L, List.of(ssd, disk), 2L, List.of(disk, ssd), 3L, List.of(disk)),
                List.of());
        assertThat(found.doubles()).isEqualTo(1);
        assertThat(found.loneMetas()).isEqualTo(2);
        assertThat(found.loneData()).isZero();
        assertThat(found.without(StorageType.SSD)).isEqualTo(1);
    }

    /** Stock reads it, and tells nobody that its checksums are gone. */
    @Test
    void audit_countsDataFilesWithoutMeta() {
        Place disk = new Place(new Node(1, Path.of("/volumes")), StorageType.DISK);
        OnDisk found = new OnDisk(Map.of(1L, List.of(disk), 2L, List.of(disk)), Map.of(2L, List.of(disk)), List.of());
        assertThat(found.loneData()).isEqualTo(1);
        assertThat(found.loneMetas()).isZero();
    }
}
