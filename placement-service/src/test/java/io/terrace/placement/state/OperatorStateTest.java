package io.terrace.placement.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OperatorStateTest {

    private static final long NOW_MS = 1_764_000_000_000L;

    @Test
    void encoded_anything_isDecodedAlike() {
        OperatorState orders =
                OperatorState.initial().withServe(false).withPin(16390, true).withPin(17, true);
        assertThat(OperatorState.decoded(orders.encoded())).isEqualTo(orders);
        OperatorState none = OperatorState.initial().withMoves(false);
        assertThat(OperatorState.decoded(none.encoded())).isEqualTo(none);
        OperatorState odd = OperatorState.initial()
                .withOff(new Order("a@b c=d,é", NOW_MS))
                .withPin(5, new Pin(new Order("x".repeat(100), NOW_MS + 999), NOW_MS + 1, true));
        assertThat(OperatorState.decoded(odd.encoded())).isEqualTo(odd);
    }

    @Test
    void off_saidAgain_isSinceTheFirstTime() {
        OperatorState off = OperatorState.initial().withOff(new Order("alice", NOW_MS));
        assertThat(off.withOff(new Order("bob", NOW_MS + 5_000))).isEqualTo(off);
        assertThat(off.withOff(null).serve()).isTrue();
    }

    @Test
    void encoded_mostPins_fitsAnExtendedAttribute() {
        TreeMap<Long, Pin> pins = new TreeMap<>();
        for (int i = 0; i < OperatorState.MOST_PINS; i++) {
            pins.put(100_000_000L + 1_000_000L * i, new Pin(new Order("user" + i % 10, NOW_MS + i * 1_000L), 0, false));
        }
        assertThat(new OperatorState(Order.UNKNOWN, Order.UNKNOWN, pins).encoded().length)
                .isLessThan(16_300);
        pins.put(1L, new Pin(Order.UNKNOWN, 0, false));
        assertThatThrownBy(() -> new OperatorState(null, null, pins)).hasMessageContaining("1000");
    }

    @Test
    void encoded_pinsThatDoNotFit_areRefused_andOffAlwaysFits() {
        OperatorState state = OperatorState.initial();
        String refusal = "";
        for (int i = 0; i < OperatorState.MOST_PINS && refusal.isEmpty(); i++) {
            Order order = new Order("user" + i % 10, NOW_MS);
            OperatorState more =
                    state.withPin(100_000_000L + 1_000_000L * i, new Pin(order, NOW_MS + 300_000_000_000L, true));
            try {
                more.encoded();
                state = more;
            } catch (IllegalArgumentException e) {
                refusal = e.getMessage();
            }
        }
        assertThat(refusal).contains("do not fit an extended attribute");
        assertThat(state.pins()).hasSizeGreaterThan(600);
        Order longest = new Order("é".repeat(64), NOW_MS);
        assertThat(state.withOff(longest).withPaused(longest).encoded().length).isLessThan(16_384 - 64);
    }

    @Test
    void decoded_garbage_isRefused() {
        for (String text : new String[] {
            "",
            "2 serve=true moves=true pins=",
            "1 serve=true",
            "1 serve=true moves=true pins=x",
            "3 serve=true",
            "2 serve=false moves=true off= paused= users= pins=",
            "2 serve=true moves=true off= paused= users= pins=a.b.9"
        }) {
            assertThatThrownBy(() -> OperatorState.decoded(text.getBytes(UTF_8)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
