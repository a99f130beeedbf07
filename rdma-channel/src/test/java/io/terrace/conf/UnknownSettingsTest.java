package io.terrace.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UnknownSettingsTest {
    @Test
    void complaints_ofAnUnknownKey_nameTheNearestOne() {
        assertThat(UnknownSettings.complaints(List.of("dfs.replication", "terrace.enabled", "terrace.chanel.dir")))
                .singleElement()
                .asString()
                .contains("terrace.chanel.dir")
                .contains("did you mean terrace.channel.dir?");
    }

    @Test
    void isKnown_ofASuffixedAddress_isTrue_andOfOtherSuffixesIsNot() {
        assertThat(UnknownSettings.isKnown("terrace.placement.rpc-address.ns1.nn2"))
                .isTrue();
        assertThat(UnknownSettings.isKnown("terrace.enabled.ns1")).isFalse();
    }
}
