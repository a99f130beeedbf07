package io.terrace.placement.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OperatorStateTest {

    @Test
    void encoded_anything_isDecodedAlike() {
        OperatorState orders =
                OperatorState.initial().withServe(false).withPin(16390, true).withPin(17, true);
        assertThat(OperatorState.decoded(orders.encoded())).isEqualTo(orders);
        assertThat(new String(orders.encoded(), UTF_8)).isEqualTo("1 serve=false moves=true pins=17,16390");
        OperatorState none = OperatorState.initial().withMoves(false);
        assertThat(OperatorState.decoded(none.encoded())).isEqualTo(none);
    }

    @Test
    void encoded_mostPins_fitsAnExtendedAttribute() {
        TreeSet<Long> pins = LongStream.range(0, OperatorState.MOST_PINS)
                .mapToObj(i -> 1_000_000_000_000L + i)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(new OperatorState(true, true, pins).encoded().length).isLessThan(16_384);
        pins.add(1L);
        assertThatThrownBy(() -> new OperatorState(true, true, pins)).hasMessageContaining("1000");
    }

    @Test
    void decoded_garbage_isRefused() {
        for (String text :
                new String[] {"", "2 serve=true moves=true pins=", "1 serve=true", "1 serve=true moves=true pins=x"}) {
            assertThatThrownBy(() -> OperatorState.decoded(text.getBytes(UTF_8)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
