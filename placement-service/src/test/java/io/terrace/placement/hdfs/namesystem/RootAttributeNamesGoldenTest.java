package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The names of the extended attributes of the root directory. */
final class RootAttributeNamesGoldenTest {

    @Test
    void names() {
        assertThat(OperatorStateStore.NAME).isEqualTo("trusted.terrace.placement");
        assertThat(PolicyStore.NAME).isEqualTo("trusted.terrace.policy");
    }
}
