package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;

class BulkheadTest {

    private final Bulkhead bulkhead = new Bulkhead();
    private long nowNs;

    /** Asks a question while so many others are being answered. */
    private String askBeside(int others) throws Exception {
        return bulkhead.pass(() -> {
            try {
                return others == 0 ? "answer" : askBeside(others - 1);
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
    }

    @Test
    void pass_besideTwoOthers_isRefusedAndMayAskAgain() throws Exception {
        assertThat(askBeside(Bulkhead.PLACES - 1)).isEqualTo("answer");
        assertThatThrownBy(() -> askBeside(Bulkhead.PLACES))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("ask again");
        assertThat(askBeside(Bulkhead.PLACES - 1)).as("no place is lost").isEqualTo("answer");
    }

    @Test
    void pass_oneCallerWithoutAPause_isAnsweredForASmallPartOfTheTime() throws Exception {
        long minuteNs = TimeUnit.MINUTES.toNanos(1);
        Bulkhead timed = Bulkhead.ofTime(() -> nowNs);
        long answeringNs = 0;
        while (nowNs < minuteNs) {
            long beganNs = nowNs;
            try {
                answeringNs += timed.pass(() -> {
                    nowNs += TimeUnit.MILLISECONDS.toNanos(100);
                    return nowNs - beganNs;
                });
            } catch (RetriableException e) {
                assertThat(e).hasMessageContaining("ask again");
                nowNs += TimeUnit.MILLISECONDS.toNanos(1);
            }
        }
        assertThat(answeringNs).isBetween(minuteNs / 20, minuteNs / 10);
    }

    /** As while the loop is stuck. */
    @Test
    void pass_answerThatTookVeryLong_isPaidBackInLessThanAMinute() throws Exception {
        Bulkhead timed = Bulkhead.ofTime(() -> nowNs);
        for (int i = 0; i < 3; i++) {
            timed.pass(() -> nowNs += TimeUnit.MINUTES.toNanos(10));
            assertThatThrownBy(() -> timed.pass(() -> "answer")).isInstanceOf(RetriableException.class);
            nowNs += TimeUnit.SECONDS.toNanos(41);
        }
        assertThat(timed.pass(() -> "answer")).isEqualTo("answer");
    }

    @Test
    void pass_questionThatFails_leavesItsPlace() throws Exception {
        for (int i = 0; i <= Bulkhead.PLACES; i++) {
            assertThatThrownBy(() -> bulkhead.pass(() -> {
                        throw new IllegalStateException("planted");
                    }))
                    .hasMessage("planted");
        }
        assertThat(askBeside(Bulkhead.PLACES - 1)).isEqualTo("answer");
    }
}
