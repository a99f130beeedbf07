package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class UnknownSettingsTest {
    private final Configuration conf = new Configuration(false);

    @Test
    void complaints_ofAnUnknownKey_nameTheNearestOne() {
        conf.set("dfs.replication", "1");
        conf.set("terrace.enabled", "true");
        conf.set("terrace.chanel.dir", "/run/terrace");
        assertThat(UnknownSettings.errors(conf))
                .singleElement()
                .asString()
                .contains("terrace.chanel.dir")
                .contains("did you mean terrace.channel.dir?");
        assertThatThrownBy(() -> UnknownSettings.refuse(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.chanel.dir");
    }

    @Test
    void complaints_ofASuffixedAddress_areNone_andOfAnotherSuffixThereIsOne() {
        conf.set("terrace.placement.rpc-address.ns1.nn2", "host:8899");
        UnknownSettings.refuse(conf);
        assertThat(UnknownSettings.errors(conf)).isEmpty();
        conf.set("terrace.enabled.ns1", "true");
        assertThat(UnknownSettings.errors(conf)).hasSize(1);
    }
}
