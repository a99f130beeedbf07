package io.terrace.placement.hdfs.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.report.NodeReport;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReleasesTest {

    private static NodeReport node(String name, boolean live, String release) {
        return new NodeReport(
                name, name, live, true, true, 0, 0, List.of(), 0, 0, 0, 0, List.of(), List.of(), Map.of(), release);
    }

    @Test
    void mix_ofOneRelease_isNone() {
        assertThat(Releases.mix("2", List.of(node("a", true, "2"), node("b", true, "2"))))
                .isNull();
    }

    @Test
    void mix_namesTheDataNodesOfEachOtherRelease() {
        assertThat(Releases.mix(
                        "2",
                        List.of(node("a", true, "2"), node("b", true, "1"), node("c", true, ""), node("d", true, "1"))))
                .isEqualTo("the NameNode has Terrace 2; DataNodes have an older release on c, 1 on b d");
    }

    @Test
    void mix_leavesOutSilentDataNodes() {
        assertThat(Releases.mix("2", List.of(node("a", false, "1")))).isNull();
    }

    @Test
    void mix_ofManyDataNodes_namesSome() {
        List<NodeReport> many =
                IntStream.range(0, 8).mapToObj(i -> node("n" + i, true, "1")).toList();
        assertThat(Releases.mix("2", many)).endsWith("1 on n0 n1 n2 n3 n4 and 3 more");
    }
}
