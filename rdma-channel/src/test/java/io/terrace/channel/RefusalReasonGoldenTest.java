package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The ordinals of the reasons are on the wire, in every refusal. */
final class RefusalReasonGoldenTest {
    @Test
    void order() {
        assertThat(RefusalReason.values())
                .extracting(Enum::name)
                .containsExactly(
                        "NOT_RESIDENT",
                        "STALE_STAMP",
                        "BAD_TOKEN",
                        "EXPIRED_TOKEN",
                        "NO_WRITES",
                        "BUSY",
                        "OFF",
                        "FAILED");
    }
}
