package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ordinals of the tiers are on the wire, in every grant. */
final class TierGoldenTest {
    @Test
    void order() {
        assertThat(Tier.values()).extracting(Enum::name).containsExactly("MEMORY", "NVM", "SSD", "DISK", "ARCHIVE");
    }
}
