package io.terrace.placement.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import org.junit.jupiter.api.Test;

/** The bytes of the extended attribute that keeps the operator state. */
final class OperatorStateGoldenTest {

    private static final long SINCE_MS = 1_764_000_000_000L;

    @Test
    void bytes() {
        OperatorState state = OperatorState.initial()
                .withPaused(new Order("bob", SINCE_MS))
                .withPin(16390, new Pin(new Order("alice", SINCE_MS), 0, false))
                .withPin(16401, new Pin(new Order("an odd,name", SINCE_MS + 60_000), SINCE_MS + 7_260_000, true));
        assertGolden(
                state,
                "2 serve=true moves=false off= paused=bob@t68n40 users=alice,an+odd%2Cname"
                        + " pins=cna.t68n40.0,b.t68n5o.1.5k0/r");
        assertGolden(OperatorState.off(), "2 serve=false moves=false off=@0 paused=@0 users= pins=");
    }

    @Test
    void bytesOfVersion1_areRead() {
        assertThat(OperatorState.decoded("1 serve=true moves=false pins=16390,16401".getBytes(UTF_8)))
                .isEqualTo(OperatorState.initial()
                        .withMoves(false)
                        .withPin(16390, true)
                        .withPin(16401, true));
        assertThat(OperatorState.decoded("1 serve=false moves=false pins=".getBytes(UTF_8)))
                .isEqualTo(OperatorState.off());
    }

    private static void assertGolden(OperatorState state, String text) {
        assertThat(state.encoded()).asString(UTF_8).isEqualTo(text);
        assertThat(OperatorState.decoded(text.getBytes(UTF_8))).isEqualTo(state);
    }
}
