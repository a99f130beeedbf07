package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ordinals of the tiers are on the wire, in every grant. */
final class StorageTierGoldenTest {
    @Test
    void order() {
        assertThat(StorageTier.values())
                .extracting(Enum::name)
                .containsExactly("MEMORY", "NVM", "SSD", "DISK", "ARCHIVE");
    }
}
