package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class TerraceSettingsTest {

    private static final Set<String> PROCESSES = Set.of("client", "DataNode", "NameNode", "placementctl");

    @Test
    void keys_areUniqueAndDocumented() {
        Set<String> keys = new HashSet<>();
        for (Setting<?> setting : TerraceSettings.all()) {
            assertThat(setting.key()).matches("terrace(\\.[a-z0-9-]+)+");
            assertThat(keys.add(setting.key())).as(setting.key()).isTrue();
            assertThat(setting.doc()).as(setting.key()).hasSizeGreaterThan(20).endsWith(".");
            assertThat(PROCESSES)
                    .as(setting.key())
                    .containsAll(Arrays.asList(setting.readBy().split(", ", -1)));
            assertThat(TerraceSettings.find(setting.key())).isSameAs(setting);
        }
    }

    @Test
    void constants_areAllInTheList() throws Exception {
        Set<Object> constants = new HashSet<>();
        for (var field : TerraceSettings.class.getFields()) {
            constants.add(field.get(null));
        }
        assertThat(constants).isNotEmpty().isEqualTo(Set.copyOf(TerraceSettings.all()));
    }

    @Test
    void defaults_areOfTheirTypeAndInRange() {
        for (Setting<?> setting : TerraceSettings.all()) {
            assertThat(setting.orNull(key -> null) == null)
                    .as(setting.key())
                    .isEqualTo(setting.defaultText().isEmpty() && setting.type() != SettingType.TEXT);
        }
    }

    @Test
    void bounds_areInOrderAndCanBeWritten() {
        TerraceSettings.all().forEach(TerraceSettingsTest::checkBounds);
    }

    private static <T extends Comparable<T>> void checkBounds(Setting<T> setting) {
        T least = setting.least();
        T most = setting.most();
        if (least != null) {
            assertThat(setting.get(key -> setting.type().write(least)))
                    .as(setting.key())
                    .isEqualTo(least);
        }
        if (most != null) {
            assertThat(setting.get(key -> setting.type().write(most)))
                    .as(setting.key())
                    .isEqualTo(most);
        }
        assertThat(least != null && most != null && least.compareTo(most) > 0)
                .as(setting.key())
                .isFalse();
    }

    /** What is not text is refused, with key, value and what would do, if it is something else. */
    @Test
    void values_ofNoType_areRefused() {
        Configuration conf = new Configuration(false);
        for (Setting<?> setting : TerraceSettings.all()) {
            if (setting.type() == SettingType.TEXT) {
                continue;
            }
            conf.set(setting.key(), "not\0so");
            assertThatThrownBy(() -> setting.get(conf))
                    .as(setting.key())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(setting.key() + " is not\0so")
                    .hasMessageContaining("; it must be ");
        }
    }

    @Test
    void find_aKeyThatIsNone_isNull() {
        assertThat(TerraceSettings.find("terrace.nothing")).isNull();
    }
}
