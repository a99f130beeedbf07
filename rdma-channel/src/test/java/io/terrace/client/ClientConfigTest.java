package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.WriteThrough;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ClientConfigTest {
    private static final long MS = 1_000_000;

    private final Configuration conf = new Configuration(false);

    @Test
    void from_anEmptyConfiguration_isOffWithTheDocumentedDefaults() {
        assertThat(ClientConfig.from(conf))
                .isEqualTo(new ClientConfig(
                        true,
                        true,
                        true,
                        new ClientConfig.Local(
                                null, Set.of("hdfs"), 64L << 20, 1024, 250, 60_000, 250, 256L << 20, 1_000, 1_000),
                        new ClientConfig.Remote(0, false, false, true, 500 * MS, 200 * MS, 256, 4, 64L << 20, false),
                        new ClientConfig.Write(
                                false,
                                64L << 20,
                                4,
                                80,
                                false,
                                new ClientConfig.Through(WriteThrough.NONE, List.of()))));
    }

    @Test
    void from_everyKey_isTaken() {
        conf.set("terrace.client.local", "false");
        conf.set("terrace.client.replica.order", "namenode");
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
        conf.set("terrace.channel.tcp.port.offset", "100");
        conf.set("terrace.channel.verbs.port.offset", "-200");
        conf.set("terrace.channel.verbs.libdisni", "true");
        conf.set("terrace.client.remote.choice", "memory");
        conf.set("terrace.client.tcp.timeout", "7ms");
        conf.set("terrace.client.tcp.connect.timeout", "8ms");
        conf.set("terrace.client.tcp.nodes.max", "9");
        conf.set("terrace.client.tcp.connections.max", "10");
        conf.set("terrace.client.tcp.readahead.max", "11m");
        conf.set("terrace.client.write.enabled", "true");
        conf.set("terrace.client.write.retained", "12m");
        conf.set("terrace.client.write.close", "minimal");
        conf.set("terrace.client.write.through", "true");
        conf.set("terrace.client.write.through.paths", "/tmp/out, /hbase/");
        conf.set("terrace.client.write.through.replicas", "all");
        conf.set("dfs.client.use.datanode.hostname", "true");
        assertThat(ClientConfig.from(conf))
                .isEqualTo(new ClientConfig(
                        true,
                        false,
                        false,
                        new ClientConfig.Local(
                                Path.of("/run/terrace"),
                                Set.of("dn", "998"),
                                0,
                                7,
                                2_000,
                                180_000,
                                4,
                                1024,
                                5_000,
                                6_000),
                        new ClientConfig.Remote(100, true, true, false, 7 * MS, 8 * MS, 9, 10, 11L << 20, true),
                        new ClientConfig.Write(
                                true,
                                12L << 20,
                                4,
                                80,
                                true,
                                new ClientConfig.Through(WriteThrough.ALL, List.of("/tmp/out", "/hbase/")))));
    }

    @Test
    void from_unknownWayToClose_isRefusedWithTheWordsThatAre() {
        conf.set("terrace.client.write.close", "soon");
        assertThatThrownBy(() -> ClientConfig.from(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.client.write.close")
                .hasMessageContaining("soon")
                .hasMessageContaining("all or minimal");
    }

    @Test
    void through_asksForFilesOfItsPathsAndBelow() {
        conf.set("terrace.client.write.through", "true");
        assertThat(ClientConfig.from(conf).write().through().of("/any")).isEqualTo(WriteThrough.FIRST);
        conf.set("terrace.client.write.through.paths", "/tmp/out,/hbase/");
        ClientConfig.Through through = ClientConfig.from(conf).write().through();
        assertThat(List.of("/tmp/out", "/tmp/out/part-0", "/hbase/WALs/1"))
                .allMatch(path -> through.of(path) == WriteThrough.FIRST);
        assertThat(List.of("/", "/tmp", "/tmp/output", "/hbase2"))
                .allMatch(path -> through.of(path) == WriteThrough.NONE);
    }

    @Test
    void timeoutNs_ofManyBytes_isLonger() {
        assertThat(ClientConfig.from(conf).remote().timeoutNs(1_000_000)).isEqualTo(600 * MS);
    }

    @Test
    void from_aSwitchedOffConfiguration_hasNoDirectory() {
        conf.set("terrace.channel.dir", "/run/terrace");
        conf.set("terrace.enabled", "false");
        assertThat(ClientConfig.from(conf).enabled()).isFalse();
        assertThat(ClientConfig.from(conf).local().channelDirectory()).isNull();
    }

    @Test
    void from_aWrongValue_namesKeyValueAndRemedy() {
        conf.set("terrace.client.grant.timeout", "soon");
        assertThatThrownBy(() -> ClientConfig.from(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("terrace.client.grant.timeout is soon")
                .hasMessageContaining("such as 250ms");
    }

    @Test
    void from_anUnknownKey_namesTheNearest() {
        conf.set("terrace.client.grant.timout", "1s");
        assertThatThrownBy(() -> ClientConfig.from(conf))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("did you mean terrace.client.grant.timeout?");
    }
}
