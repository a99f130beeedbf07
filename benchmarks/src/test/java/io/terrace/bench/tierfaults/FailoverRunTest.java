package io.terrace.bench.tierfaults;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.tierfaults.FailoverRun.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FailoverRunTest {
    @Test
    void movedAgain_isNotMadeUpForByAFailoverWithFewerMoves() {
        List<Result> results = List.of(
                new Result("", 10, 122), new Result("", 10, 118), new Result("", 10, 120), new Result("", 10, 121));

        assertThat(Result.movedAgain(results, 120)).isEqualTo(3);
        assertThat(Result.movedAgain(List.of(), 120)).isZero();
    }
}
