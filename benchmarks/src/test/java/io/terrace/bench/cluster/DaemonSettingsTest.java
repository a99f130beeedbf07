package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.UnknownSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class DaemonSettingsTest {
    private static final ClusterLayout LAYOUT = new ClusterLayout(Path.of("/srv/cluster"));
    private final Ports ports = ports();

    private static Ports ports() {
        try {
            return Ports.choose(2, new SplittableRandom(3));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private DaemonSettings settings(ClusterSpec spec) {
        return new DaemonSettings(spec, ports, LAYOUT);
    }

    @Test
    void everyAddress_ofADaemon_isOnLoopback() {
        DaemonSettings settings = settings(ClusterSpec.of(2, 1 << 20));

        Stream.of(settings.namenode(), settings.datanode(1), settings.datanode(2))
                .flatMap(map -> map.entrySet().stream())
                .filter(entry -> entry.getKey().endsWith("address"))
                .forEach(entry ->
                        assertThat(entry.getValue()).as(entry.getKey()).matches("(localhost|127\\.0\\.0\\.1):[0-9]+"));
    }

    @Test
    void everyTerraceKey_isKnown() {
        DaemonSettings settings = settings(ClusterSpec.of(2, 1 << 20));

        for (Map<String, String> map : List.of(settings.namenode(), settings.datanode(1), settings.client())) {
            Configuration conf = new Configuration(false);
            map.forEach(conf::set);
            assertThat(UnknownSettings.errors(conf)).isEmpty();
        }
    }

    @Test
    void stockClient_comparedWithClient_lacksOnlyWhatTurnsTerraceOn() {
        DaemonSettings settings = settings(ClusterSpec.of(2, 1 << 20));
        Map<String, String> rest = new java.util.HashMap<>(settings.client());
        settings.stockClient()
                .forEach((key, value) -> assertThat(rest.remove(key)).isEqualTo(value));

        assertThat(rest.keySet())
                .containsExactlyInAnyOrder(
                        "dfs.client.replica.accessor.builder.classes",
                        "terrace.channel.dir",
                        "terrace.placement.rpc-address");
    }

    @Test
    void daemons_ofStockCluster_carryNothingOfTerrace() {
        DaemonSettings settings = settings(ClusterSpec.of(2, 1 << 20).withTerrace(false));

        for (Map<String, String> map : List.of(settings.namenode(), settings.datanode(1), settings.client())) {
            assertThat(map.toString()).doesNotContain("terrace.", "io.terrace");
        }
    }

    @Test
    void userProperty_thatWeSetToo_wins() {
        ClusterSpec spec = ClusterSpec.of(2, 1 << 20).withProperties(Map.of("dfs.heartbeat.interval", "7s"));

        assertThat(settings(spec).datanode(1)).containsEntry("dfs.heartbeat.interval", "7s");
    }

    @Test
    void pair_withTerrace_hasKnownKeysAndLoopbackAddressesOnly() throws IOException {
        DaemonSettings.Pair pair = pair();

        for (String daemon : pair.daemons()) {
            Map<String, String> map = pair.daemon(daemon, true);
            Configuration conf = new Configuration(false);
            map.forEach(conf::set);
            assertThat(UnknownSettings.errors(conf)).as(daemon).isEmpty();
            map.forEach((key, value) -> {
                if (key.contains("address")) {
                    assertThat(value).as(daemon + " " + key).matches("(localhost|127\\.0\\.0\\.1):[0-9]+");
                }
            });
        }
        assertThat(pair.daemon("namenode-0", true)).containsEntry("dfs.ha.namenode.id", "nn0");
        assertThat(pair.daemon("namenode-1", true).get("terrace.placement.rpc-address.ns.nn1"))
                .isEqualTo("localhost:" + pair.placementPort(1));
    }

    @Test
    void pair_daemonWithoutTerrace_hasNothingOfIt() throws IOException {
        DaemonSettings.Pair pair = pair();

        for (String daemon : pair.daemons()) {
            pair.daemon(daemon, false)
                    .forEach((key, value) ->
                            assertThat(key + "=" + value).as(daemon).doesNotContainIgnoringCase("terrace"));
        }
    }

    private static DaemonSettings.Pair pair() throws IOException {
        return DaemonSettings.Pair.draw(ClusterSpec.of(2, 1 << 20), LAYOUT, new SplittableRandom(3));
    }
}
