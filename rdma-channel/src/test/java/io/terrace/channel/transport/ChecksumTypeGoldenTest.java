package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ordinals of the kinds are on the wire of tcp and verbs, in every answer to an attach. */
final class ChecksumTypeGoldenTest {
    @Test
    void order() {
        assertThat(ChecksumType.values()).extracting(Enum::name).containsExactly("NONE", "CRC32", "CRC32C");
    }
}
