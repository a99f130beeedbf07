package io.terrace.bench.conformance;

import static io.terrace.bench.conformance.Runs.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.Verdict.State;
import io.terrace.bench.conformance.launcher.ResultFile;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.Ending;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CampaignTest {
    private static final List<ListedClass> ONE = List.of(new ListedClass("reads", Runs.CLASS_NAME));

    /** As long as the runs of these tests took. */
    private static final Duration LIMIT = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    /** Plays runs that were written down before, and writes their results as a real one would. */
    private static final class Script implements Campaign.Runner {
        private final Deque<TestRun> stock = new ArrayDeque<>();
        private final Deque<TestRun> terrace = new ArrayDeque<>();
        private final List<Side> asked = new ArrayList<>();

        Script stock(TestRun... runs) {
            stock.addAll(List.of(runs));
            return this;
        }

        Script terrace(TestRun... runs) {
            terrace.addAll(List.of(runs));
            return this;
        }

        @Override
        public TestRun run(Side side, String className, Path result, Path log) throws IOException {
            asked.add(side);
            TestRun run = (side == Side.STOCK ? stock : terrace).removeFirst();
            write(run, result);
            Files.writeString(log, "output");
            return run;
        }
    }

    private static void write(TestRun run, Path result) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(ResultFile.classLine(run.className()));
        run.tests().forEach((test, how) -> lines.add(ResultFile.testLine(test, how)));
        lines.add(ResultFile.endedLine(run.ending(), run.seconds()));
        Files.createDirectories(result.getParent());
        Files.write(result, lines);
    }

    @Test
    void compare_passesOnBothSides() throws Exception {
        Script script = new Script().stock(run("read")).terrace(run("read"));

        ClassResult result = compare("ours", script);

        assertThat(result.verdict().state()).isEqualTo(State.SAME);
        assertThat(script.asked).containsExactly(Side.STOCK, Side.TERRACE);
        assertThat(store("ours").log(Side.TERRACE, Runs.CLASS_NAME, 1)).doesNotExist();
    }

    @Test
    void compare_failsOnlyInATestThatIsLeftOut_runsOnceAndShowsNoFailure() throws Exception {
        Exclusions exclusions = Exclusions.parse(List.of(Runs.CLASS_NAME + "#seek  of stock"), Provider.SHM, false);
        ResultStore store = new ResultStore(directory, keys("ours"), exclusions, Exclusions.NONE, LIMIT, false);
        Script script = new Script().stock(run("read", "seek")).terrace(run("read", "!seek"));
        List<TestRun> told = new ArrayList<>();

        ClassResult result = new Campaign(store, script, (number, of, side, run) -> told.add(run), Verdict::of, 1)
                .compare(ONE)
                .get(0);

        assertThat(result.verdict().state()).isEqualTo(State.SAME);
        assertThat(script.asked).containsExactly(Side.STOCK, Side.TERRACE);
        assertThat(told).allSatisfy(run -> assertThat(run.passed()).isTrue());
        assertThat(store.log(Side.TERRACE, Runs.CLASS_NAME, 1)).doesNotExist();
    }

    @Test
    void compare_failsOnlyWithTerrace() throws Exception {
        Script script = new Script().stock(run("read")).terrace(run("!read"), run("!read"), run("!read"));

        ClassResult result = compare("ours", script);

        assertThat(result.verdict().state()).isEqualTo(State.DIFFERS);
        assertThat(result.terrace()).hasSize(3);
        assertThat(store("ours").log(Side.TERRACE, Runs.CLASS_NAME, 3)).exists();
    }

    @Test
    void compare_failsOnStockThreeTimes() throws Exception {
        Script script =
                new Script().stock(run("!read"), run("!read"), run("!read")).terrace(run("!read"));

        assertThat(compare("ours", script).verdict().state()).isEqualTo(State.FAILS_ON_STOCK);
    }

    @Test
    void compare_takenUpAgain() throws Exception {
        compare("ours", new Script().stock(run("read")).terrace(run("read")));
        Script nothingLeft = new Script();

        assertThat(compare("ours", nothingLeft).verdict().state()).isEqualTo(State.SAME);
        assertThat(nothingLeft.asked).isEmpty();
    }

    @Test
    void compare_otherJarsKeepStockResults() throws Exception {
        compare("ours", new Script().stock(run("read")).terrace(run("!read"), run("!read"), run("!read")));
        Script mended = new Script().terrace(run("read"));

        assertThat(compare("mended", mended).verdict().state()).isEqualTo(State.SAME);
        assertThat(mended.asked).containsExactly(Side.TERRACE);
    }

    @Test
    void runs_ofAnEarlierBuild_countWhereTheyPassedAndAreAskedFor() throws Exception {
        compare("failed", new Script().stock(run("read")).terrace(run("!read"), run("!read"), run("!read")));
        age("failed");
        compare("passed", new Script().terrace(run("read", "seek")));

        ResultStore strict = store("new");
        ResultStore lenient = lenient("hadoop", Provider.SHM, "", Exclusions.NONE);

        assertThat(strict.runs(Side.TERRACE, Runs.CLASS_NAME)).isEmpty();
        assertThat(lenient.runs(Side.TERRACE, Runs.CLASS_NAME))
                .singleElement()
                .satisfies(run -> assertThat(run.passed("seek")).isTrue());
        assertThat(lenient.runs(Side.TERRACE, "a.TestOther")).isEmpty();
    }

    @Test
    void runs_ofAnEarlierBuild_countNoLongerOnceALaterOneFailed() throws Exception {
        compare("passed", new Script().stock(run("read")).terrace(run("read")));
        age("passed");
        compare("failed", new Script().terrace(run("!read"), run("!read"), run("!read")));

        assertThat(lenient("hadoop", Provider.SHM, "", Exclusions.NONE).runs(Side.TERRACE, Runs.CLASS_NAME))
                .isEmpty();
    }

    @Test
    void passOfAnEarlierBuild_thatSkipsWhatStockPasses_isTriedThreeTimesWithThisOne() throws Exception {
        TestRun skips = run("read", "?seek");
        compare("earlier", new Script().stock(run("read", "seek")).terrace(skips, skips, skips));
        age("earlier");
        Script script = new Script().terrace(skips, skips, skips);

        ClassResult result = compare(lenient("hadoop", Provider.SHM, "", Exclusions.NONE), script);

        assertThat(result.verdict().state()).isEqualTo(State.DIFFERS);
        assertThat(script.asked).containsExactly(Side.TERRACE, Side.TERRACE, Side.TERRACE);
    }

    private void age(String terraceKey) throws IOException {
        for (int number = 1; number <= Verdict.RUNS; number++) {
            Path result = store(terraceKey).result(Side.TERRACE, Runs.CLASS_NAME, number);
            if (Files.exists(result)) {
                Files.setLastModifiedTime(result, FileTime.fromMillis(number));
            }
        }
    }

    @Test
    void run_thatRanIntoAShorterTimeLimit_isMadeAgain() throws Exception {
        TestRun late = run(Ending.TIMED_OUT, "read");
        compare("ours", new Script().stock(late, late, late).terrace(late));

        ResultStore longer = new ResultStore(
                directory, keys("ours"), Exclusions.NONE, Exclusions.NONE, LIMIT.plusSeconds(60), false);
        assertThat(longer.runs(Side.STOCK, Runs.CLASS_NAME)).isEmpty();
        assertThat(store("ours").runs(Side.STOCK, Runs.CLASS_NAME)).hasSize(3);
    }

    @Test
    void runs_ofAnEarlierBuild_countUnderTheSameConditionsOnly() throws Exception {
        compare("passed", new Script().stock(run("read")).terrace(run("read")));
        Exclusions diskOnly = Exclusions.parse(List.of(Runs.CLASS_NAME + "  reads damage"), Provider.SHM, false);

        for (ResultStore other : List.of(
                lenient("hadoop", Provider.TCP, "", Exclusions.NONE),
                lenient("another", Provider.SHM, "", Exclusions.NONE),
                lenient("hadoop", Provider.SHM, "capacity=64m", Exclusions.NONE),
                lenient("hadoop", Provider.SHM, "", diskOnly))) {
            assertThat(other.runs(Side.TERRACE, Runs.CLASS_NAME)).isEmpty();
        }
        assertThat(lenient("hadoop", Provider.SHM, "", diskOnly).runs(Side.STOCK, Runs.CLASS_NAME))
                .as("stock copies nothing anyway")
                .hasSize(1);
    }

    @Test
    void compare_resultOfAStoppedRunnerIsMadeAgain() throws Exception {
        Path partial = store("ours").result(Side.STOCK, Runs.CLASS_NAME, 1);
        Files.createDirectories(partial.getParent());
        Files.writeString(partial, ResultFile.classLine(Runs.CLASS_NAME) + "\n");
        Script script = new Script().stock(run("read")).terrace(run("read"));

        compare("ours", script);

        assertThat(script.asked).containsExactly(Side.STOCK, Side.TERRACE);
    }

    @Test
    void once_oneRunEach() throws Exception {
        Script script = new Script().stock(run(Ending.CRASHED));

        new Campaign(store("ours"), script, (number, of, side, run) -> {}, Verdict::of, 1).once(Side.STOCK, ONE);
        new Campaign(store("ours"), script, (number, of, side, run) -> {}, Verdict::of, 1).once(Side.STOCK, ONE);

        assertThat(script.asked).containsExactly(Side.STOCK);
    }

    @Test
    void compare_withTwoJobs_runsTwoClassesAtATime_andKeepsTheirSequence() throws Exception {
        List<ListedClass> classes = Stream.of("a.TestRead", "a.TestSeek", "a.TestPread", "a.TestOpen")
                .map(name -> new ListedClass("reads", name))
                .toList();
        CyclicBarrier both = new CyclicBarrier(2);
        Campaign.Runner runner = (side, className, result, log) -> {
            try {
                both.await(10, TimeUnit.SECONDS);
            } catch (BrokenBarrierException | TimeoutException e) {
                throw new IOException("no other class ran", e);
            }
            TestRun run =
                    new TestRun(className, Ending.COMPLETE, 1.5, run("read").tests(), Map.of());
            write(run, result);
            return run;
        };

        List<ClassResult> results =
                new Campaign(store("ours"), runner, (number, of, side, run) -> {}, Verdict::lean, 2).compare(classes);

        assertThat(results).extracting(ClassResult::listed).isEqualTo(classes);
        assertThat(results).allMatch(result -> result.verdict().state() == State.SAME);
    }

    @Test
    @Timeout(60)
    void compare_whereOneClassFails_endsTheOthers_andSaysWhy() {
        List<ListedClass> classes =
                List.of(new ListedClass("reads", "a.TestForEver"), new ListedClass("reads", "a.TestFails"));
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Campaign.Runner runner = (side, className, result, log) -> {
            if (className.equals("a.TestFails")) {
                running.await();
                throw new IOException("no space left");
            }
            try {
                running.countDown();
                new CountDownLatch(1).await();
            } finally {
                ended.set(true);
            }
            throw new IllegalStateException("not interrupted");
        };
        Campaign campaign = new Campaign(store("ours"), runner, (number, of, side, run) -> {}, Verdict::of, 2);

        assertThatThrownBy(() -> campaign.compare(classes))
                .isInstanceOf(IOException.class)
                .hasMessage("no space left");
        assertThat(ended).isTrue();
    }

    private ClassResult compare(String terraceKey, Script script) throws IOException, InterruptedException {
        return compare(store(terraceKey), script);
    }

    private static ClassResult compare(ResultStore store, Script script) throws IOException, InterruptedException {
        return new Campaign(store, script, (number, of, side, run) -> {}, Verdict::of, 1)
                .compare(ONE)
                .get(0);
    }

    private ResultStore store(String terraceKey) {
        return new ResultStore(directory, keys(terraceKey), Exclusions.NONE, Exclusions.NONE, LIMIT, false);
    }

    private static ResultKeys keys(String terraceKey) {
        return new ResultKeys("hadoop", Provider.SHM, "hadoop", terraceKey);
    }

    private ResultStore lenient(String stockKey, Provider provider, String settings, Exclusions diskOnly) {
        ResultKeys keys = new ResultKeys(stockKey, provider, stockKey + settings, "new");
        return new ResultStore(directory, keys, Exclusions.NONE, diskOnly, LIMIT, true);
    }
}
