package io.terrace.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SystemCommandTest {
    private Process process;

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder("sleep", "600").start();
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    @Test
    void signal_endsAProcess_andIsNothingToOneThatHasEnded() throws Exception {
        SystemCommand.signal(process.toHandle(), "KILL");
        assertThat(process.waitFor()).isNotZero();

        SystemCommand.signal(process.toHandle(), "CONT");
    }

    @Test
    void signal_thatAProcessDidNotGet_isAFailure() {
        assertThatThrownBy(() -> SystemCommand.signal(process.toHandle(), "NO_SUCH"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not get signal NO_SUCH");
        assertThat(process.isAlive()).isTrue();
    }
}
