package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.explain.OpenFile.Speed;
import io.terrace.placement.explain.OpenFile.Writer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OpenFileTest {

    @Test
    void lines_tellClientAndBlocks() {
        assertThat(new OpenFile(new Writer("DFSClient_1", "10.0.0.5"), 2, 1, List.of()).lines())
                .containsExactly(
                        "OPEN FOR WRITE by DFSClient_1 on 10.0.0.5: 2 blocks are complete, 1 is being written."
                                + " Its length is that of the last flush.",
                        "Blocks that are being written are neither copied into memory nor moved between tiers, as"
                                + " their bytes still change. They can be as soon as they are complete.",
                        "No DataNode told of writes over the channel from 10.0.0.5 in the last 5 min: it is stock's"
                                + " stream, or it wrote less than can be measured.");
        assertThat(new OpenFile(new Writer("c", "h"), 1, 2, List.of()).lines().get(0))
                .contains("1 block is complete, 2 are being written");
    }

    @Test
    void lines_tellSpeedsOverTheChannel() {
        List<Speed> speeds = List.of(new Speed("dn1:9866", 100 << 20, 4_000), new Speed("dn2:9866", 10 << 20, 70_000));
        assertThat(new OpenFile(new Writer("c", "10.0.0.5"), 0, 1, speeds)
                        .lines()
                        .get(2))
                .isEqualTo("Clients of 10.0.0.5 write over the channel, measured by the DataNodes:"
                        + " dn1:9866 100 MB/s (4 s ago), dn2:9866 10.0 MB/s (70 s ago).");
    }

    @Test
    void lines_forWhoIsNotTheSuperuser_doNotTellWhoWrites() {
        assertThat(new OpenFile(null, 0, 1, List.of()).lines())
                .hasSize(3)
                .startsWith("OPEN FOR WRITE: 0 blocks are complete, 1 is being written."
                        + " Its length is that of the last flush.")
                .last()
                .asString()
                .startsWith("No DataNode told of writes over the channel from the host that writes it in the last");
    }

    @Test
    void lines_ofManyDataNodes_areCut() {
        List<Speed> speeds = IntStream.range(0, 9)
                .mapToObj(i -> new Speed("dn" + i, 1 << 20, 0))
                .toList();
        assertThat(new OpenFile(new Writer("c", "h"), 0, 1, speeds).lines().get(2))
                .contains("dn4 ")
                .doesNotContain("dn5 ")
                .endsWith(", and 4 more.");
    }
}
