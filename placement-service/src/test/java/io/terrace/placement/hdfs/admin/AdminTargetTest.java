package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AdminTargetTest {

    @Test
    void path_withSlashesToSpare_isThePathWithout() {
        assertThat(AdminTarget.parse("/data/hot/").path()).isEqualTo("/data/hot");
        assertThat(AdminTarget.parse("//data///hot").path()).isEqualTo("/data/hot");
        assertThat(AdminTarget.parse("/").path()).isEqualTo("/");
        assertThat(AdminTarget.parse("//").path()).isEqualTo("/");
    }

    @Test
    void block_isFoundByItsNameOrNumber() {
        assertThat(AdminTarget.parse("blk_17_1001").blockId()).isEqualTo(17);
        assertThat(AdminTarget.parse("-17").blockId()).isEqualTo(-17);
        assertThatThrownBy(() -> AdminTarget.parse("data"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("neither");
    }
}
