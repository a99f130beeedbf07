package io.terrace.bench.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.launcher.TestRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExclusionsTest {
    @Test
    void parse_classAndTest() {
        Exclusions exclusions = Exclusions.parse(
                List.of(
                        "# what",
                        "",
                        "a.One  it tests nothing of ours",
                        "a.TestRead#seek  it counts sockets of stock's reader"),
                Provider.SHM,
                false);

        assertThat(exclusions.reasons())
                .isEqualTo(Map.of(
                        "a.One", "it tests nothing of ours",
                        "a.TestRead#seek", "it counts sockets of stock's reader"));
        assertThat(exclusions.leavesOut("a.One")).isTrue();
        assertThat(exclusions.leavesOut("a.TestRead")).isFalse();
        assertThat(exclusions.count(true)).isEqualTo(1);
        assertThat(exclusions.count(false)).isEqualTo(1);
    }

    @Test
    void parse_ofOneProvider_holdsForThatAlone() {
        List<String> lines = List.of("a.TestRead#seek@TCP  it counts sockets", "a.TestRead#skip  it counts sockets");

        assertThat(Exclusions.parse(lines, Provider.TCP, false).reasons().keySet())
                .containsExactlyInAnyOrder("a.TestRead#seek", "a.TestRead#skip");
        assertThat(Exclusions.parse(lines, Provider.SHM, false).reasons().keySet())
                .containsExactly("a.TestRead#skip");
        assertThatThrownBy(() -> Exclusions.parse(List.of("a.TestRead@RDMA  it is so"), Provider.SHM, false))
                .hasMessageContaining("line 1: RDMA is neither WRITES nor one of [SHM, TCP]");
    }

    @Test
    void parse_whereFilesAreWritten_holdsThereAlone() {
        List<String> lines = List.of("a.TestWrite#packets@WRITES  it looks into stock's packets");

        assertThat(Exclusions.parse(lines, Provider.SHM, true).reasons()).containsOnlyKeys("a.TestWrite#packets");
        assertThat(Exclusions.parse(lines, Provider.SHM, false).reasons()).isEmpty();
    }

    @Test
    void parse_reasonMissing() {
        for (String bad : List.of("a.One", "a.One#test", "a.One # later")) {
            assertThatThrownBy(() -> Exclusions.parse(List.of(bad), Provider.SHM, false))
                    .hasMessageContaining("without a reason");
        }
    }

    @Test
    void parse_notAClassName() {
        assertThatThrownBy(() -> Exclusions.parse(List.of("One it is"), Provider.SHM, false))
                .hasMessageContaining("not a class name");
    }

    @Test
    void without_testOfTheClass() {
        Exclusions exclusions = Exclusions.parse(List.of(Runs.CLASS_NAME + "#seek  why"), Provider.SHM, false);
        TestRun run = Runs.run("read()", "!seek(int)[#1]", "!seekFar()");

        assertThat(exclusions.without(run).testNames()).containsExactly("read()", "seekFar()");
        assertThat(exclusions.without(Runs.run("read()", "!seek()")).passed()).isTrue();
    }
}
