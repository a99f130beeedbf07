package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractAppend;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractConcat;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractPathHandle;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractSeek;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * Hadoop's own contract tests of HDFS that read back what they wrote, run on {@link TerraceFileSystem}.
 *
 * <p>Not those that Hadoop compiled against methods of AssertJ that the present AssertJ no longer has (Open, Unbuffer,
 * VectoredRead); the conformance run of the benchmarks brings Hadoop's own versions.
 */
@Tag("cluster")
final class HadoopContractTest {
    private static final Metric[] OPENED = {Metric.CLIENT_FS_STOCK_READERS, Metric.CLIENT_FS_MEMORY_READERS};

    private static long openedBefore;

    /** Hadoop makes its configurations itself, so the class is named in the process's defaults. */
    @BeforeAll
    static void nameTheClass() {
        HdfsConfiguration.init();
        Configuration.addDefaultResource("terrace-fs.xml");
        openedBefore = opened();
    }

    @AfterAll
    static void readsWentThroughOurs() {
        assertThat(opened()).isGreaterThan(openedBefore);
        assertThat(ClientMetrics.value(Metric.CLIENT_FS_NOT_LINKED)).isZero();
    }

    private static long opened() {
        long sum = 0;
        for (Metric metric : OPENED) {
            sum += ClientMetrics.value(metric);
        }
        return sum;
    }

    @Nested
    class Append extends TestHDFSContractAppend {}

    @Nested
    class Concat extends TestHDFSContractConcat {}

    @Nested
    class PathHandle extends TestHDFSContractPathHandle {}

    @Nested
    class Seek extends TestHDFSContractSeek {}
}
