package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ordinals of the statuses are on the wire of tcp and verbs, in every answer. */
final class TransferStatusGoldenTest {
    @Test
    void order() {
        assertThat(TransferStatus.values())
                .extracting(Enum::name)
                .containsExactly("DONE", "SHORT", "NO_ACCESS", "DEADLINE", "DISCONNECTED", "FAILED");
    }
}
