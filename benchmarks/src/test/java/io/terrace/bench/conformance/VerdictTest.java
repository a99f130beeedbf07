package io.terrace.bench.conformance;

import static io.terrace.bench.conformance.Runs.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.conformance.Verdict.State;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final TestRun PASSES = run("read", "seek");
    private static final TestRun FAILS = run("read", "!seek");

    @Test
    void of_nothingRun() {
        assertThat(Verdict.of(List.of(), List.of()).state()).isEqualTo(State.NEEDS_STOCK);
        assertThat(Verdict.of(List.of(PASSES), List.of()).state()).isEqualTo(State.NEEDS_TERRACE);
    }

    @Test
    void of_passesWithTerrace() {
        assertThat(Verdict.of(List.of(PASSES), List.of(PASSES)).state()).isEqualTo(State.SAME);
        assertThat(Verdict.of(List.of(FAILS), List.of(PASSES)).state()).isEqualTo(State.SAME);
    }

    @Test
    void lean_asksStockOnlyWhereTerraceFails() {
        assertThat(Verdict.lean(List.of(), List.of()).state()).isEqualTo(State.NEEDS_TERRACE);
        assertThat(Verdict.lean(List.of(), List.of(PASSES)).state()).isEqualTo(State.SAME);
        assertThat(Verdict.lean(List.of(), List.of(FAILS)).state()).isEqualTo(State.NEEDS_STOCK);
        assertThat(Verdict.lean(List.of(PASSES), List.of(FAILS, FAILS, FAILS)).state())
                .isEqualTo(State.DIFFERS);
    }

    @Test
    void lean_asksStockWhereTerraceSkips() {
        TestRun skips = run("read", "?seek");
        assertThat(Verdict.lean(List.of(), List.of(skips)).state()).isEqualTo(State.NEEDS_STOCK);
        assertThat(Verdict.lean(List.of(skips), List.of(skips)).state()).isEqualTo(State.SAME);
        assertThat(Verdict.lean(List.of(), List.of(FAILS, skips, PASSES)).state())
                .isEqualTo(State.SAME);
    }

    @Test
    void of_testThatIsSkippedOrGoneOnlyWithTerrace() {
        for (TestRun less : List.of(run("read", "?seek"), run("read"))) {
            assertThat(Verdict.of(List.of(PASSES), List.of(less)).state()).isEqualTo(State.NEEDS_TERRACE);
            assertThat(Verdict.of(List.of(PASSES), List.of(less, less, PASSES)).state())
                    .isEqualTo(State.SAME);
            Verdict verdict = Verdict.of(List.of(PASSES), List.of(less, less, less));
            assertThat(verdict.state()).isEqualTo(State.DIFFERS);
            assertThat(verdict.suspects()).containsExactly("seek");
        }
        assertThat(Verdict.of(List.of(run("read", "?seek")), List.of(run("read")))
                        .state())
                .isEqualTo(State.SAME);
    }

    @Test
    void of_classThatIsNotThere() {
        TestRun nothing = run(Ending.CRASHED);
        assertThat(Verdict.of(List.of(nothing, nothing), List.of(nothing)).state())
                .isEqualTo(State.NEEDS_STOCK);
        assertThat(Verdict.of(List.of(nothing, nothing, nothing), List.of(nothing))
                        .state())
                .isEqualTo(State.NOT_RUN);
    }

    @Test
    void of_failsTwiceThenPasses() {
        assertThat(Verdict.of(List.of(PASSES), List.of(FAILS)).state()).isEqualTo(State.NEEDS_TERRACE);
        assertThat(Verdict.of(List.of(PASSES), List.of(FAILS, FAILS)).state()).isEqualTo(State.NEEDS_TERRACE);
        assertThat(Verdict.of(List.of(PASSES), List.of(FAILS, FAILS, PASSES)).state())
                .isEqualTo(State.SAME);
    }

    @Test
    void of_failsThreeTimesAndPassesOnStock() {
        Verdict verdict = Verdict.of(List.of(PASSES), List.of(FAILS, FAILS, FAILS));

        assertThat(verdict.state()).isEqualTo(State.DIFFERS);
        assertThat(verdict.suspects()).containsExactly("seek");
    }

    @Test
    void of_anotherTestFailsEachTime() {
        Verdict verdict = Verdict.of(List.of(PASSES), List.of(FAILS, run("!read", "seek"), FAILS));

        assertThat(verdict.state()).as("the class failed three times of three").isEqualTo(State.DIFFERS);
        assertThat(verdict.suspects()).isEmpty();
    }

    @Test
    void of_failsOnStockToo() {
        assertThat(Verdict.of(List.of(FAILS), List.of(FAILS)).state()).isEqualTo(State.NEEDS_STOCK);
        assertThat(Verdict.of(List.of(FAILS, FAILS, FAILS), List.of(FAILS)).state())
                .isEqualTo(State.FAILS_ON_STOCK);
        assertThat(Verdict.of(List.of(FAILS, PASSES), List.of(FAILS)).state()).isEqualTo(State.NEEDS_TERRACE);
    }

    @Test
    void of_stockFailureHidesNoOther() {
        TestRun stock = run("!read", "seek");
        TestRun both = run("!read", "!seek");

        Verdict verdict = Verdict.of(List.of(stock), List.of(both, both, both));

        assertThat(verdict.state()).isEqualTo(State.DIFFERS);
        assertThat(verdict.suspects()).containsExactly("seek");
    }

    @Test
    void of_timeLimitReached() {
        TestRun late = run(Ending.TIMED_OUT, "read");

        Verdict verdict = Verdict.of(List.of(PASSES), List.of(late, late, late));

        assertThat(verdict.state()).isEqualTo(State.DIFFERS);
        assertThat(verdict.suspects()).containsExactly("seek");
    }

    @Test
    void of_testThatNeverPassesWithTerrace_differs_howeverItDoesNot() {
        TestRun stock = run("!read", "seek");
        TestRun skips = run("!read", "?seek");

        assertThat(Verdict.of(List.of(stock, stock, stock), List.of(skips)).state())
                .isEqualTo(State.NEEDS_TERRACE);
        assertThat(Verdict.of(List.of(stock, stock, stock), List.of(skips, skips, skips))
                        .state())
                .isEqualTo(State.DIFFERS);
        assertThat(Verdict.of(List.of(PASSES), List.of(FAILS, run("read", "?seek")))
                        .state())
                .isEqualTo(State.NEEDS_TERRACE);
        assertThat(Verdict.of(List.of(PASSES), List.of(FAILS, run("read", "?seek"), run("read")))
                        .state())
                .isEqualTo(State.DIFFERS);
    }

    @Test
    void of_noTestFound() {
        assertThat(run().passed()).isFalse();
    }
}
