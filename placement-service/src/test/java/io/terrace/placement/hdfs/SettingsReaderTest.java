package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.PlacementSettings;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class SettingsReaderTest {

    private final Configuration conf = new Configuration(false);

    private PlacementSettings read() {
        return new SettingsReader(conf).read();
    }

    @Test
    void read_nothingSet_isTheDocumentedDefaults() {
        PlacementSettings defaults = PlacementSettings.defaults();
        PlacementSettings read = read();
        assertThat(read.policy().spec().parameters()).isEqualTo(Map.of("tracked", "100000"));
        assertThat(read).usingRecursiveComparison().ignoringFields("policy").isEqualTo(defaults);
    }

    @Test
    void read_allKeys_areMapped() {
        conf.set("terrace.placement.move.bandwidth", "1g");
        conf.set("terrace.placement.interval", "1s");
        conf.set("terrace.placement.policy", "idecider");
        conf.set("terrace.placement.idecider.threshold", "5");
        conf.set("terrace.placement.lock.blocks", "7");
        PlacementSettings read = read();
        assertThat(read.moves().bytesPerSecond()).isEqualTo(1L << 30);
        assertThat(new SettingsReader(conf).intervalMs()).isEqualTo(1000);
        assertThat(read.policy().spec().parameters()).containsEntry("threshold", "5");
        assertThat(new SettingsReader(conf).lockBlocks()).isEqualTo(7);
    }

    @Test
    void read_badValues_areRefusedWithKeyAndRemedy() {
        Map<String, String> bad = Map.of(
                "terrace.placement.move.bandwidth", "-1",
                "terrace.placement.interval", "fast",
                "terrace.placement.lock.blocks", "0",
                "terrace.placement.heartbeat.entries", "8191",
                "terrace.placement.tracked.blocks", "many",
                "terrace.placement.policy", "guess");
        bad.forEach((key, value) -> {
            Configuration wrong = new Configuration(false);
            wrong.set(key, value);
            assertThatThrownBy(() -> readAll(wrong))
                    .as(key)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(key + " is " + value);
        });
    }

    private static void readAll(Configuration conf) {
        SettingsReader reader = new SettingsReader(conf);
        reader.read();
        reader.intervalMs();
        reader.lockBlocks();
    }

    @Test
    void read_otherPolicy_takesItsParameters() {
        conf.set("terrace.placement.policy", "lrfu");
        conf.set("terrace.placement.policy.parameters", "lambda=0.5, remembered=77");
        assertThat(read().policy().spec().parameters()).isEqualTo(Map.of("lambda", "0.5", "remembered", "77"));
        conf.set("terrace.placement.policy.parameters", "lambda=7");
        assertThatThrownBy(this::read).hasMessageContaining("lambda");
        conf.set("terrace.placement.policy.parameters", "lamda");
        assertThatThrownBy(this::read).hasMessageContaining("name=value");
    }

    @Test
    void read_unknownKey_isRefusedWithTheNearest() {
        conf.set("terrace.placement.heartbeat.intervall", "1s");
        assertThatThrownBy(this::read).hasMessageContaining("did you mean terrace.placement.heartbeat.interval?");
    }

    @Test
    void settingKeys_ofPlacement_haveDocs() {
        for (TerraceSettings key : TerraceSettings.values()) {
            if (key.key().startsWith("terrace.placement.")) {
                assertThat(key.doc()).as(key.key()).isNotBlank();
            }
        }
    }
}
