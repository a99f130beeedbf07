package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class PlacementPortTest {
    private final Configuration conf = new Configuration(false);

    @Test
    void of_nothingSet_isThePortForAll() {
        assertThat(PlacementPort.of(conf, 8020)).isEqualTo(8899);
    }

    @Test
    void of_anOffset_isThatFromTheNameNodesPort() {
        conf.set("terrace.placement.port.offset", "100");
        assertThat(PlacementPort.of(conf, 8020)).isEqualTo(8120);
        conf.set("terrace.placement.port.offset", "-28300");
        assertThat(PlacementPort.of(conf, 40_000)).isEqualTo(11_700);
    }

    @Test
    void of_anOffsetToNoPort_isThePortForAll() {
        conf.set("terrace.placement.port", "9000");
        conf.set("terrace.placement.port.offset", "-28300");
        assertThat(PlacementPort.of(conf, 8020)).isEqualTo(9000);
    }

    @Test
    void of_wrongValues_namesTheKey() {
        conf.set("terrace.placement.port.offset", "far");
        assertThatThrownBy(() -> PlacementPort.of(conf, 8020))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.placement.port.offset is far")
                .hasMessageContaining("-65535 to 65535");
    }
}
