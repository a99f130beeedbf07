package io.terrace.placement.hdfs.health;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.util.EnumSet;
import org.apache.hadoop.fs.StorageType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What doctor says of the order in which the NameNode answers with replicas, by the types of volumes that there are. */
class ReadOrderCheckTest {

    private static @Nullable HealthFinding found(
            boolean byType, boolean byLoad, StorageType first, StorageType... others) {
        return HealthChecks.readOrder(byType, byLoad, EnumSet.of(first, others));
    }

    @Test
    void volumesOfOneType_needNoOrder() {
        assertThat(found(false, false, StorageType.DISK)).isNull();
        assertThat(found(true, false, StorageType.DISK)).isNull();
        assertThat(found(false, false, StorageType.DISK, StorageType.RAM_DISK)).isNull();
    }

    @Test
    void mixedVolumes_areToBeOrderedByType() {
        HealthFinding finding = requireNonNull(found(false, false, StorageType.DISK, StorageType.SSD));
        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
        assertThat(finding.remedy()).isEqualTo("set dfs.namenode.read.considerStorageType to true");
        assertThat(found(true, false, StorageType.DISK, StorageType.SSD)).isNull();
        assertThat(requireNonNull(found(false, true, StorageType.DISK, StorageType.ARCHIVE))
                        .remedy())
                .contains("dfs.namenode.read.considerLoad, which overrides it, to false");
    }

    @Test
    void nvdimm_isNotToBeOrderedByType_asStockTakesItForTheSlowest() {
        assertThat(found(false, false, StorageType.DISK, StorageType.SSD, StorageType.NVDIMM))
                .isNull();
        HealthFinding finding = requireNonNull(found(true, false, StorageType.DISK, StorageType.NVDIMM));
        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.text()).contains("dfs.namenode.read.considerStorageType is true");
        assertThat(found(true, true, StorageType.DISK, StorageType.NVDIMM))
                .as("by load, which overrides it")
                .isNull();
    }
}
