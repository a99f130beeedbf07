package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingTest {

    private static <T extends Comparable<T>> T value(Setting<T> setting, String text) {
        return setting.get(Map.of(setting.key(), text)::get);
    }

    @Test
    void get_unset_isTheDefault() {
        assertThat(TerraceSettings.CLIENT_MAPPED_MAX.get(new Configuration(false)))
                .isEqualTo(64L << 20);
        assertThat(TerraceSettings.CLIENT_GRANT_IDLE.get(new Configuration(false)))
                .isEqualTo(60_000);
        assertThat(TerraceSettings.PLACEMENT_ADMIN_ACL.get(new Configuration(false)))
                .isEmpty();
    }

    @Test
    void get_set_isReadAsHadoopReadsIt() {
        assertThat(value(TerraceSettings.CLIENT_MAPPED_MAX, " 2G ")).isEqualTo(2L << 30);
        assertThat(value(TerraceSettings.CLIENT_GRANTS_MAX, "1k")).isEqualTo(1024);
        assertThat(value(TerraceSettings.CLIENT_GRANT_IDLE, "3m")).isEqualTo(180_000);
        assertThat(value(TerraceSettings.CLIENT_GRANT_IDLE, "1500")).isEqualTo(1500);
        assertThat(value(TerraceSettings.ENABLED, "FALSE")).isFalse();
        assertThat(value(TerraceSettings.CHANNEL_DIR, "/run//x/../terrace")).isEqualTo(Path.of("/run/terrace"));
        assertThat(value(TerraceSettings.PLACEMENT_POLICY_FILE, "etc/p.yaml")).isEqualTo(Path.of("etc/p.yaml"));
        assertThat(value(TerraceSettings.CLIENT_REMOTE_CHOICE, "memory")).isEqualTo("memory");
    }

    @Test
    void get_aConfigurationWithVariables_expandsThem() {
        Configuration conf = new Configuration(false);
        conf.set("base", "/run");
        conf.set("terrace.channel.dir", "${base}/terrace");
        assertThat(TerraceSettings.CHANNEL_DIR.get(conf)).isEqualTo(Path.of("/run/terrace"));
    }

    @Test
    void orNull_unsetWithoutDefault_isNull_andGetNamesWhatWouldDo() {
        Configuration conf = new Configuration(false);
        assertThat(TerraceSettings.DATANODE_MEMORY_CAPACITY.orNull(conf)).isNull();
        conf.set("terrace.datanode.memory.capacity", " ");
        assertThat(TerraceSettings.DATANODE_MEMORY_CAPACITY.orNull(conf)).isNull();
        assertThatThrownBy(() -> TerraceSettings.DATANODE_MEMORY_CAPACITY.get(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("terrace.datanode.memory.capacity is not set; it must be a size such as 4g, from 4k to 1p");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "terrace.enabled                        | yes      | yes; it must be true or false",
                "terrace.enabled                        | ''       | empty; it must be true or false",
                "terrace.client.mapped.max              | 4 lots   | 4 lots; it must be a size such as 64m, at least 0",
                "terrace.client.mapped.max              | ''       | empty; it must be a size such as 64m, at least 0",
                "terrace.client.mapped.max              | -1       | -1; it must be a size such as 64m, at least 0",
                "terrace.client.mapped.max              | 9e       | 9e; it must be a size such as 64m, at least 0",
                "terrace.client.grant.timeout           | soon     | soon; it must be a time such as 250ms, at least 1ms",
                "terrace.client.grant.timeout           | 500us    | 500us; it must be a time such as 250ms, at least 1ms",
                "terrace.datanode.grants.lease          | 31d      | 31d; it must be a time such as 60s, from 100ms to 30d",
                "terrace.datanode.memory.copy.bandwidth | 2p       | 2p; it must be a size such as 4g, from 0 to 1p",
                "terrace.datanode.memory.copy.threads   | many     | many; it must be a whole number from 1 to 64",
                "terrace.datanode.memory.copy.threads   | 65       | 65; it must be a whole number from 1 to 64",
                "terrace.datanode.memory.copy.threads   | 4g       | 4g; it must be a whole number from 1 to 64",
                "terrace.channel.dir                    | here     | here; it must be an absolute path",
                "terrace.client.remote.choice           | both     | both; it must be cost or memory",
            })
    void get_aWrongValue_namesKeyValueAndWhatWouldDo(String key, String text, String error) {
        Setting<?> setting = TerraceSettings.find(key);
        assertThat(setting).isNotNull();
        assertThatThrownBy(() -> setting.get(Map.of(key, text)::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(key + " is " + error);
    }
}
