package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;

class BulkheadTest {

    private final Bulkhead bulkhead = new Bulkhead();

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
