package io.terrace.bench.versions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link LogLines}, on lines as daemons write them. */
final class LogLinesTest {
    private static final String OFF =
            "2026-01-01 00:00:00,000 ERROR org.apache.hadoop.hdfs.server.datanode.fsdataset.impl."
                    + "TerraceDatasetFactory: Terrace is off, the DataNode is stock: Hadoop 3.3.6 is not supported";
    private static final String STOCK =
            "2026-01-01 00:00:00,000 ERROR org.apache.hadoop.hdfs.server.namenode.NameNode: RECEIVED SIGNAL 15: SIGTERM";

    @Test
    void unresolved_linesWithLinkageErrors() {
        String thread = "Exception in thread \"pages\" java.lang.NoClassDefFoundError: com/sun/jna/Library";
        assertThat(LogLines.unresolved(List.of(OFF, thread, STOCK, "Caused by: java.io.IOException: NoSuchMethod")))
                .containsExactly(thread);
    }

    @Test
    void errors_ofTerraceAlone() {
        String own = "2026-01-01 00:00:00,000 ERROR io.terrace.placement.hdfs.TerraceNameNodePlugin: Terrace is off";
        String warning = "2026-01-01 00:00:00,000 WARN  io.terrace.placement.hdfs.TerraceNameNodePlugin: slow";
        assertThat(LogLines.errors(List.of(OFF, STOCK, own, warning))).containsExactly(OFF, own);
    }

    @Test
    void saysOff_onlyWithThatLine() {
        assertThat(LogLines.saysOff(List.of(STOCK, OFF))).isTrue();
        assertThat(LogLines.saysOff(List.of(STOCK))).isFalse();
    }
}
