package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ClientConfigTest {
    private final Configuration conf = new Configuration(false);

    @Test
    void from_anEmptyConfiguration_isOffWithTheDocumentedDefaults() {
        assertThat(ClientConfig.from(conf))
                .isEqualTo(new ClientConfig(
                        null, Set.of("hdfs"), 64L << 20, 1024, 250, 60_000, 250, 256L << 20, 1_000, 1_000));
    }

    @Test
    void from_everyKey_isTaken() {
        conf.set("terrace.channel.dir", "/run/terrace");
        conf.set("terrace.channel.owner", "dn, 998");
        conf.set("terrace.client.mapped.max", "0");
        conf.set("terrace.client.grants.max", "7");
        conf.set("terrace.client.grant.timeout", "2s");
        conf.set("terrace.client.grant.idle", "3m");
        conf.set("terrace.client.report.interval", "4ms");
        conf.set("terrace.client.report.bytes", "1k");
        conf.set("terrace.client.refused.pause", "5s");
        conf.set("terrace.client.connect.pause", "6s");
        assertThat(ClientConfig.from(conf))
                .isEqualTo(new ClientConfig(
                        Path.of("/run/terrace"), Set.of("dn", "998"), 0, 7, 2_000, 180_000, 4, 1024, 5_000, 6_000));
    }

    @Test
    void from_aSwitchedOffConfiguration_hasNoDirectory() {
        conf.set("terrace.channel.dir", "/run/terrace");
        conf.set("terrace.enabled", "false");
        assertThat(ClientConfig.from(conf).channelDirectory()).isNull();
    }

    @Test
    void from_aWrongValue_namesKeyValueAndRemedy() {
        conf.set("terrace.client.grant.timeout", "soon");
        assertThatThrownBy(() -> ClientConfig.from(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.client.grant.timeout is soon")
                .hasMessageContaining("such as 250ms");
    }
}
