package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TierExtensionTest {

    @Test
    void find_withTerracesJarsAlone_isNone() {
        assertThat(TierExtension.find()).isSameAs(TierExtension.NONE);
    }
}
