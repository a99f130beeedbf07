package io.terrace.datanode.hdfs.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ConcurrentModificationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PlaceNoticeTest {

    private final AtomicInteger attempts = new AtomicInteger();

    /** Fails as often as asked, as stock does while the DataNode registers again. */
    private void tell(int failures, RuntimeException e) {
        PlaceNotice.tell("a replica", () -> {
            if (attempts.incrementAndGet() <= failures) {
                throw e;
            }
        });
    }

    @Test
    void disturbedByARegistration_tellsAgain() {
        tell(2, new ConcurrentModificationException());
        assertThat(attempts).hasValue(3);
    }

    @Test
    void disturbedTooOften_leavesItToTheBlockReport_andTheMoveDoesNotFail() {
        tell(Integer.MAX_VALUE, new ConcurrentModificationException());
        assertThat(attempts).hasValue(PlaceNotice.ATTEMPTS);
    }

    @Test
    void anythingElse_isNotRepeated_andTheMoveDoesNotFail() {
        tell(Integer.MAX_VALUE, new IllegalStateException("the block pool is going away"));
        assertThat(attempts).hasValue(1);
    }
}
