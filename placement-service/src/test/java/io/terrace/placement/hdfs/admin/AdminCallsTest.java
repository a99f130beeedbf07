package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;

/** What is said to {@code placementctl} where the placement loop has no answer. */
class AdminCallsTest {

    @Test
    void ofLoop_thatFailedToAnswer_namesTheLog() {
        IllegalStateException threw = new IllegalStateException("planted");
        assertThat(AdminCalls.ofLoop(threw))
                .hasMessage("the placement loop failed to answer; the NameNode's log says why")
                .hasCause(threw)
                .isNotInstanceOf(RetriableException.class);
    }

    @Test
    void ofLoop_thatDoesNotAnswer_saysSo() {
        assertThat(AdminCalls.ofLoop(new TimeoutException()))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("does not answer");
        assertThat(AdminCalls.ofLoop(new RejectedExecutionException())).hasMessageContaining("does not answer");
    }
}
