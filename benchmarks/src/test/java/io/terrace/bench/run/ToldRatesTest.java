package io.terrace.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What is taken from the words of HBase's PerformanceEvaluation and of TestDFSIO. */
class ToldRatesTest {
    @Test
    void rate_ofPerformanceEvaluation_isThatOfAllClients() throws IOException {
        String told =
                """
                INFO hbase.PerformanceEvaluation: Finished TestClient-2 in 2601ms over 5000 rows
                INFO hbase.PerformanceEvaluation: [ Avg latency (us)]\t453
                INFO hbase.PerformanceEvaluation: [ Avg TPS/QPS]\t8016\t row per second
                """;

        assertThat(HBaseWorkload.rate(told)).isEqualTo(8016);
    }

    @Test
    void rate_ofTestDfsio_isMegabytesASecondOfATask() throws IOException {
        String told =
                """
                INFO fs.TestDFSIO:  Total MBytes processed: 64
                INFO fs.TestDFSIO:       Throughput mb/sec: 85.79
                INFO fs.TestDFSIO:  Average IO rate mb/sec: 91.2
                """;

        assertThat(MapReduceWorkload.rate(told)).isEqualTo(85.79);
    }

    @Test
    void rate_whereNoneWasTold_fails() {
        assertThatThrownBy(() -> HBaseWorkload.rate("FAILED")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> MapReduceWorkload.rate("FAILED")).isInstanceOf(IOException.class);
    }
}
