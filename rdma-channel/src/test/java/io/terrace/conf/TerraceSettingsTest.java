package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TerraceSettingsTest {
    @Test
    void keys_areUniqueAndDocumented() {
        Set<String> keys = new HashSet<>();
        for (TerraceSettings setting : TerraceSettings.values()) {
            assertThat(setting.key()).matches("terrace(\\.[a-z0-9-]+)+");
            assertThat(keys.add(setting.key())).as(setting.key()).isTrue();
            assertThat(setting.doc()).as(setting.key()).endsWith(".");
            assertThat(setting.readBy()).as(setting.key()).isNotEmpty();
            assertThat(TerraceSettings.of(setting.key())).isSameAs(setting);
        }
    }

    @Test
    void of_aKeyThatIsNone_isNull() {
        assertThat(TerraceSettings.of("terrace.nothing")).isNull();
    }
}
