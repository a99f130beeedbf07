package io.terrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchProcessTest {
    @TempDir
    Path dir;

    /** Fails until it has been started as often as its second argument says; exits with the third. */
    static final class Flaky {
        public static void main(String[] arguments) throws IOException {
            Path counter = Path.of(arguments[0]);
            int started = Files.exists(counter) ? Integer.parseInt(Files.readString(counter)) + 1 : 1;
            Files.writeString(counter, Integer.toString(started));
            System.out.println("start " + started);
            System.exit(started < Integer.parseInt(arguments[1]) ? Integer.parseInt(arguments[2]) : 0);
        }
    }

    private int run(int succeedsAt, int exitCode) throws IOException {
        return BenchProcess.run(
                "bench",
                ClassPath.ofThisProcess(),
                List.of(
                        Flaky.class.getName(),
                        dir.resolve("counter").toString(),
                        Integer.toString(succeedsAt),
                        Integer.toString(exitCode)),
                dir.resolve("log"));
    }

    @Test
    void run_thatFailsTwice_isRepeatedAndKeepsTheLogs() throws IOException {
        assertThat(run(3, 1)).isEqualTo(2);

        assertThat(dir.resolve("log")).hasContent("start 3");
        assertThat(dir.resolve("log.failed-1")).hasContent("start 1");
        assertThat(dir.resolve("log.failed-2")).hasContent("start 2");
    }

    @Test
    void run_thatAlwaysFails_endsWithItsLastLines() {
        assertThatThrownBy(() -> run(4, 1))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("bench failed with 1, " + dir.resolve("log"))
                .hasMessageEndingWith("start 3");
    }

    @Test
    void run_thatWasEndedByASignal_isNotRepeated() {
        assertThatThrownBy(() -> run(4, 143))
                .isInstanceOf(ClusterException.class)
                .hasMessageEndingWith("start 1");
    }
}
