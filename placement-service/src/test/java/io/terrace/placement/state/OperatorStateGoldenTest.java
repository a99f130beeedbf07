package io.terrace.placement.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The bytes of the extended attribute that keeps the operator state. */
final class OperatorStateGoldenTest {

    @Test
    void bytes() {
        assertGolden(
                new OperatorState(true, false, new TreeSet<>(List.of(16390L, 16401L))),
                "31 20 73657276653d74727565 20 6d6f7665733d66616c7365 20 70696e733d31363339302c3136343031");
        assertGolden(OperatorState.off(), "31 20 73657276653d66616c7365 20 6d6f7665733d66616c7365 20 70696e733d");
    }

    private static void assertGolden(OperatorState state, String hex) {
        byte[] expected = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThat(state.encoded()).isEqualTo(expected);
        assertThat(OperatorState.decoded(expected)).isEqualTo(state);
    }
}
