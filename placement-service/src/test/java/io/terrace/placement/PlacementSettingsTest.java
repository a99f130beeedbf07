package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.ControlSample;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.control.ControlSettings;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.protocol.HeartbeatLimits;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementSettingsTest {

    private final Map<String, String> conf = new HashMap<>();

    private PlacementSettings read() {
        return PlacementSettings.from(conf::get);
    }

    private static PolicyChoice choice(String policy, Map<String, String> parameters) {
        return new PolicyChoice(PolicySpec.plain(policy, parameters), PolicyChoice.Source.SETTINGS, 0);
    }

    @Test
    void from_nothingSet_isTheDocumentedDefaults() {
        assertThat(read())
                .isEqualTo(new PlacementSettings(
                        choice("adaptive", Map.of("tracked", "100000")),
                        new MoveSettings(
                                100L << 20,
                                1L << 20,
                                4,
                                256,
                                60_000,
                                30_000,
                                new VolumeMoveSettings(
                                        100L << 20, 10L << 30, 4, 1_000, 1_000, 0.9, 86_400_000, 21_600_000)),
                        new HeatSettings(500_000, 600_000),
                        new HeartbeatSettings(250, 10_000, 600_000, 10_000),
                        new ControlSettings(new ControlSample(1), 3_600_000),
                        new FirstReadSettings(0.1, 256L << 20, 21_600_000, 8)));
    }

    @Test
    void from_allKeys_areMapped() {
        conf.put("terrace.placement.policy", "idecider");
        conf.put("terrace.placement.idecider.threshold", "5");
        conf.put("terrace.placement.idecider.remembered", "6k");
        conf.put("terrace.placement.move.bandwidth", "1g");
        conf.put("terrace.placement.idle.bandwidth", "2k");
        conf.put("terrace.placement.moves.in-flight", "3");
        conf.put("terrace.placement.moves.waiting", "4");
        conf.put("terrace.placement.move.timeout", "5s");
        conf.put("terrace.placement.move.wait", "6s");
        conf.put("terrace.placement.tracked.blocks", "7000");
        conf.put("terrace.placement.heat.half-life", "8s");
        conf.put("terrace.placement.heartbeat.interval", "90ms");
        conf.put("terrace.placement.node.expiry", "10s");
        conf.put("terrace.placement.node.forget", "11s");
        conf.put("terrace.placement.heartbeat.entries", "12000");
        conf.put("terrace.placement.volume.bandwidth", "13");
        conf.put("terrace.placement.volume.bandwidth.total", "14");
        conf.put("terrace.placement.volume.moves.in-flight", "15");
        conf.put("terrace.placement.volume.moves.in-flight.total", "16");
        conf.put("terrace.placement.volume.moves.waiting", "17");
        conf.put("terrace.placement.volume.high-water", "18");
        conf.put("terrace.placement.volume.cold", "19s");
        conf.put("terrace.placement.volume.others.rest", "20s");
        conf.put("terrace.placement.control.share", "2");
        conf.put("terrace.placement.control.pause", "21s");
        conf.put("terrace.placement.first-read.vain", "20");
        conf.put("terrace.placement.first-read.within", "22s");
        conf.put("terrace.placement.read-ahead.blocks", "23");
        assertThat(read())
                .isEqualTo(new PlacementSettings(
                        choice("idecider", Map.of("threshold", "5", "remembered", "6144")),
                        new MoveSettings(
                                1 << 30,
                                2_048,
                                3,
                                4,
                                5_000,
                                6_000,
                                new VolumeMoveSettings(13, 14, 15, 16, 17, 0.18, 19_000, 20_000)),
                        new HeatSettings(7_000, 8_000),
                        new HeartbeatSettings(90, 10_000, 11_000, 12_000),
                        new ControlSettings(new ControlSample(2), 21_000),
                        new FirstReadSettings(0.2, 256L << 20, 22_000, 23)));
    }

    @ParameterizedTest
    @CsvSource({
        "terrace.placement.move.bandwidth,     -1",
        "terrace.placement.moves.in-flight,    0",
        "terrace.placement.heartbeat.interval, fast",
        "terrace.placement.heartbeat.entries,  8191",
        "terrace.placement.tracked.blocks,     many",
        "terrace.placement.node.expiry,        25d",
        "terrace.placement.control.share,      11",
        "terrace.placement.first-read.vain,    51",
        "terrace.placement.read-ahead.blocks,  65",
        "terrace.placement.policy,             guess"
    })
    void from_aBadValue_isRefusedWithKeyAndRemedy(String key, String value) {
        conf.put(key, value);
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key + " is " + value + "; it must be ");
    }

    @Test
    void from_anotherPolicy_takesItsParameters() {
        conf.put("terrace.placement.policy", "lrfu");
        conf.put("terrace.placement.policy.parameters", "lambda=0.5, remembered=77,");
        assertThat(read().policy()).isEqualTo(choice("lrfu", Map.of("lambda", "0.5", "remembered", "77")));
        conf.put("terrace.placement.policy.parameters", "lambda=7");
        assertThatThrownBy(this::read).hasMessageContaining("lambda");
        for (String wrong : new String[] {"lamda", "=7", " =7", "remembered=5,lambda"}) {
            conf.put("terrace.placement.policy.parameters", wrong);
            assertThatThrownBy(this::read).as(wrong).hasMessageContaining("name=value");
        }
    }

    /** The list of settings knows no other module, so it repeats these bounds. */
    @Test
    void bounds_areThoseOfTheClassesThatKeepThem() {
        assertThat(TerraceSettings.PLACEMENT_HEARTBEAT_ENTRIES.least()).isEqualTo(HeartbeatLimits.ENTRIES);
        assertThat(TerraceSettings.PLACEMENT_ACCESS_LOG_BYTES.least()).isEqualTo(AccessLog.LEAST_BYTES);
    }
}
