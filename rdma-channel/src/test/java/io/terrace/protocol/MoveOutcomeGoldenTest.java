package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of the outcomes choose the number that is on the wire. */
final class MoveOutcomeGoldenTest {

    @Test
    void numbers() {
        assertThat(Stream.of(MoveOutcome.values())
                        .map(outcome -> outcome + "="
                                + OutcomeProto.valueOf(outcome.name()).getNumber()))
                .containsExactly(
                        "DONE=0",
                        "NO_ROOM=1",
                        "NOT_HERE=2",
                        "CHANGED=3",
                        "CORRUPT=4",
                        "PINNED=5",
                        "REFUSED=6",
                        "FAILED=7");
    }
}
