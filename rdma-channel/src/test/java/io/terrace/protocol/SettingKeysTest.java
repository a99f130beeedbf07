package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
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
    void complaints_ofAnUnknownKey_nameTheNearestOne() {
        assertThat(SettingKeys.complaints(List.of("dfs.replication", "terrace.enabled", "terrace.chanel.dir")))
                .singleElement()
                .asString()
                .contains("terrace.chanel.dir")
                .contains("did you mean terrace.channel.dir?");
    }

    @Test
    void isKnown_ofASuffixedAddress_isTrue_andOfOtherSuffixesIsNot() {
        assertThat(SettingKeys.isKnown("terrace.placement.rpc-address.ns1.nn2")).isTrue();
        assertThat(SettingKeys.isKnown("terrace.enabled.ns1")).isFalse();
        assertThat(SettingKeys.of("terrace.nothing")).isNull();
    }
}
