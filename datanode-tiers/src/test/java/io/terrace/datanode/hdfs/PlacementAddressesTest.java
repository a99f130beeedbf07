package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class PlacementAddressesTest {

    private static final String KEY = "terrace.placement.rpc-address";

    private final Configuration conf = new Configuration(false);

    PlacementAddressesTest() {
        conf.set("dfs.nameservices", "ns");
        conf.set("dfs.ha.namenodes.ns", "a,b");
        conf.set("dfs.namenode.rpc-address.ns.a", "localhost:9001");
        conf.set("dfs.namenode.rpc-address.ns.b", "localhost:9002");
    }

    private int port(String nameNode) {
        return new PlacementAddresses(conf).of(nameNode).getPort();
    }

    @Test
    void address_isTheMostSpecificOneThatIsSet() {
        conf.set(KEY, "localhost:1");
        assertThat(port("localhost:9001")).isEqualTo(1);
        conf.set(KEY + ".ns", "localhost:2");
        conf.set(KEY + ".ns.a", "localhost:3");
        assertThat(port("localhost:9001")).isEqualTo(3);
        assertThat(port("localhost:9002")).isEqualTo(2);
    }

    @Test
    void address_thatIsNone_isNamedWithItsKey() {
        conf.set(KEY + ".ns.b", "not an address:x");
        assertThatThrownBy(() -> port("localhost:9002"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(KEY + ".ns.b")
                .hasMessageContaining("not an address:x");
        assertThat(port("localhost:9001")).isPositive();
    }
}
