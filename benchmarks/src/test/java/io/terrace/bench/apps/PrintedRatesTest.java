package io.terrace.bench.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is parsed from the output of HBase's PerformanceEvaluation, of TestDFSIO and of the Spark program. */
class PrintedRatesTest {
    @Test
    void rate_ofPerformanceEvaluation_isThatOfAllClients() throws IOException {
        String output =
                """
                INFO hbase.PerformanceEvaluation: Finished TestClient-2 in 2601ms over 5000 rows
                INFO hbase.PerformanceEvaluation: [ Avg latency (us)]\t453
                INFO hbase.PerformanceEvaluation: [ Avg TPS/QPS]\t8016\t row per second
                """;

        assertThat(HBaseApplication.rate(output)).isEqualTo(8016);
    }

    @Test
    void rate_ofTestDfsio_isMegabytesASecondOfATask() throws IOException {
        String output =
                """
                INFO fs.TestDFSIO:  Total MBytes processed: 64
                INFO fs.TestDFSIO:       Throughput mb/sec: 85.79
                INFO fs.TestDFSIO:  Average IO rate mb/sec: 91.2
                """;

        assertThat(MapReducePrograms.rate(output)).isEqualTo(85.79);
    }

    @Test
    void results_ofSpark_isTheProgramsOwnLines() {
        String output =
                """
                26/01/01 INFO SparkContext: preferred: nothing of it
                preferred: hdfs_cache_host-1,host-2
                read.sum: 1417/659793
                """;

        assertThat(SparkApplication.results(output))
                .isEqualTo(Map.of("preferred", "hdfs_cache_host-1,host-2", "read.sum", "1417/659793"));
    }

    @Test
    void rate_whereNoneIsPrinted_fails() {
        assertThatThrownBy(() -> HBaseApplication.rate("FAILED")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> MapReducePrograms.rate("FAILED")).isInstanceOf(IOException.class);
    }
}
