package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;

class TurnstileTest {

    private final Turnstile turnstile = new Turnstile();

    /** Asks a question while so many others are being answered. */
    private String askBeside(int others) throws Exception {
        return turnstile.pass(() -> {
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
        assertThat(askBeside(Turnstile.PLACES - 1)).isEqualTo("answer");
        assertThatThrownBy(() -> askBeside(Turnstile.PLACES))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("ask again");
        assertThat(askBeside(Turnstile.PLACES - 1)).as("no place is lost").isEqualTo("answer");
    }

    @Test
    void pass_questionThatFails_leavesItsPlace() throws Exception {
        for (int i = 0; i <= Turnstile.PLACES; i++) {
            assertThatThrownBy(() -> turnstile.pass(() -> {
                        throw new IllegalStateException("planted");
                    }))
                    .hasMessage("planted");
        }
        assertThat(askBeside(Turnstile.PLACES - 1)).isEqualTo("answer");
    }
}
