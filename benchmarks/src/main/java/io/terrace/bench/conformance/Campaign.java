package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The loop over the classes: makes the runs that are missing, until each class has its verdict. */
final class Campaign {
    private final ResultStore store;
    private final Runner runner;
    private final Progress progress;
    private final Rule rule;

    /** Runs one class once. Real JVMs behind it, or a script of results in a test. */
    interface Runner {
        TestRun run(Side side, String className, Path result, Path log) throws IOException, InterruptedException;
    }

    /** Judges a class: {@link Verdict#of} or {@link Verdict#lean}. */
    interface Rule {
        Verdict judge(List<TestRun> stock, List<TestRun> terrace);
    }

    /** Told of every run, without the tests that are left out. */
    interface Progress {
        void ran(int number, int of, Side side, TestRun run);
    }

    /**
     * The result of one class.
     *
     * @param listed the class
     * @param verdict the judgement; {@link Verdict#open()} where only one side was asked for
     * @param stock runs on stock
     * @param terrace runs with Terrace
     */
    record ClassResult(ListedClass listed, Verdict verdict, List<TestRun> stock, List<TestRun> terrace) {}

    Campaign(ResultStore store, Runner runner, Progress progress, Rule rule) {
        this.rule = rule;
        this.store = store;
        this.runner = runner;
        this.progress = progress;
    }

    /** Runs on both sides as far as the rule asks for it. */
    List<ClassResult> compare(List<ListedClass> classes) throws IOException, InterruptedException {
        List<ClassResult> results = new ArrayList<>();
        for (int i = 0; i < classes.size(); i++) {
            ListedClass listed = classes.get(i);
            ClassResult result = kept(listed);
            while (result.verdict().open()) {
                run(
                        result.verdict().state() == Verdict.State.NEEDS_STOCK ? Side.STOCK : Side.TERRACE,
                        result,
                        i,
                        classes.size());
                result = kept(listed);
            }
            results.add(result);
        }
        return results;
    }

    /** Runs each class once on one side where that was not done yet, to have it ready for a comparison. */
    List<ClassResult> once(Side side, List<ListedClass> classes) throws IOException, InterruptedException {
        List<ClassResult> results = new ArrayList<>();
        for (int i = 0; i < classes.size(); i++) {
            ClassResult result = kept(classes.get(i));
            if ((side == Side.STOCK ? result.stock() : result.terrace()).isEmpty()) {
                run(side, result, i, classes.size());
                result = kept(classes.get(i));
            }
            results.add(result);
        }
        return results;
    }

    /** The kept results of these classes. Runs nothing. */
    List<ClassResult> keptResults(List<ListedClass> classes) throws IOException {
        List<ClassResult> results = new ArrayList<>();
        for (ListedClass listed : classes) {
            results.add(kept(listed));
        }
        return results;
    }

    private ClassResult kept(ListedClass listed) throws IOException {
        List<TestRun> stock = store.runs(Side.STOCK, listed.className());
        List<TestRun> terrace = store.runs(Side.TERRACE, listed.className());
        return new ClassResult(listed, rule.judge(stock, terrace), stock, terrace);
    }

    private void run(Side side, ClassResult before, int index, int of) throws IOException, InterruptedException {
        String className = before.listed().className();
        int number = store.next(side, className);
        Path log = store.log(side, className, number);
        TestRun run = store.compared(runner.run(side, className, store.result(side, className, number), log));
        if (run.passed()) {
            Files.deleteIfExists(log);
        }
        progress.ran(index + 1, of, side, run);
    }
}
