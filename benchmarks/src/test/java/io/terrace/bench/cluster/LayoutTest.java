package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LayoutTest {
    @Test
    void channel_belowShortDirectory_standsInIt() {
        Layout layout = new Layout(Path.of("/srv/cluster"));

        assertThat(layout.channel()).isEqualTo(Path.of("/srv/cluster/channel"));
    }

    @Test
    void sockets_belowLongDirectory_moveToWhereTheirPathsFit() {
        Layout layout = new Layout(Path.of("/srv/" + "long/".repeat(30)));

        assertThat(layout.channel().toString().length() + 1 + 41).isLessThanOrEqualTo(107);
        assertThat(layout.shortCircuit().toString().length()).isLessThanOrEqualTo(107);
    }

    @Test
    void memory_ofTwoDirectories_differs() {
        assertThat(new Layout(Path.of("/srv/a")).memory()).isNotEqualTo(new Layout(Path.of("/srv/b")).memory());
        assertThat(new Layout(Path.of("/srv/x/../a")).memory()).isEqualTo(new Layout(Path.of("/srv/a")).memory());
    }
}
