package io.terrace.bench.tiers.namenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimedCallsTest {

    private static final long LONG_MS = TimeUnit.MINUTES.toMillis(10);

    private final Set<String> called = ConcurrentHashMap.newKeySet();

    @Test
    void run_ofCallsThatCannotBeRepeated_endsWithTheLastOne() throws IOException {
        TimedCalls.Result result = TimedCalls.run(this::call, 2, 3, false, LONG_MS);
        assertThat(called).containsExactlyInAnyOrder("0 0", "0 1", "0 2", "1 0", "1 1", "1 2");
        assertThat(result.calls()).isEqualTo(6);
        assertThat(result.perSecond()).isPositive();
    }

    @Test
    void run_ofCallsThatCan_beginsAnewUntilTheTimeIsOver() throws IOException {
        TimedCalls.Result result = TimedCalls.run(this::call, 1, 2, true, 50);
        assertThat(called).containsExactlyInAnyOrder("0 0", "0 1");
        assertThat(result.calls()).isGreaterThan(2);
        assertThat(result.seconds()).isGreaterThanOrEqualTo(0.05);
    }

    @Test
    void run_ofACallThatFails_fails() {
        IOException failure = new IOException("refused");
        assertThatThrownBy(() -> TimedCalls.run(
                        (thread, index) -> {
                            throw failure;
                        },
                        2,
                        1,
                        false,
                        LONG_MS))
                .isInstanceOf(IOException.class)
                .hasCause(failure);
    }

    private void call(int thread, int index) {
        called.add(thread + " " + index);
    }
}
