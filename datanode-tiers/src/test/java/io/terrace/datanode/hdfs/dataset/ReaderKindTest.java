package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReaderKindTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLIENT|DataXceiver for client DFSClient_1 at /127.0.0.1:4 [Sending block BP-1:blk_1_2]",
                "PASSED_DESCRIPTOR|DataXceiver for client unix:/a [Passing file descriptors for block BP-1:blk_1_2]",
                "OTHER|DataXceiver for client DFSClient_1 at /127.0.0.1:4 [Copying block BP-1:blk_1_2]",
                "OTHER|DataXceiver for client  [Sending block x] at /127.0.0.1:4 [Getting checksum for block y]",
                "OTHER|VolumeScannerThread(/data) [Sending block BP-1:blk_1_2]",
                "OTHER|org.apache.hadoop.hdfs.server.datanode.DataNode$DataTransfer@1",
            })
    void ofCurrentThread_isReadOffTheOperationItServes(ReaderKind kind, String threadName) {
        CompletableFuture<ReaderKind> seen = new CompletableFuture<>();
        new Thread(() -> seen.complete(ReaderKind.ofCurrentThread()), threadName).start();
        assertThat(seen.join()).isEqualTo(kind);
    }
}
