package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingKeysTest {
    @Test
    void keys_areUniqueAndDocumented() {
        Set<String> keys = new HashSet<>();
        for (SettingKeys setting : SettingKeys.values()) {
            assertThat(setting.key()).matches("terrace(\\.[a-z0-9-]+)+");
            assertThat(keys.add(setting.key())).as(setting.key()).isTrue();
            assertThat(setting.doc()).as(setting.key()).endsWith(".");
            assertThat(setting.readBy()).as(setting.key()).isNotEmpty();
            assertThat(SettingKeys.of(setting.key())).isSameAs(setting);
        }
    }

    @Test
    void of_aKeyThatIsNone_isNull() {
        assertThat(SettingKeys.of("terrace.nothing")).isNull();
    }
}
