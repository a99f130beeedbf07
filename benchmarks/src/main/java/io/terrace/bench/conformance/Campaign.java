package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Makes the runs of classes that are missing, until each has its verdict, a number of classes at a time. */
final class Campaign {
    /** A killed JVM ends at once; its files may be many. */
    private static final int END_SECONDS = 30;

    private final ResultStore store;
    private final Runner runner;
    private final Progress progress;
    private final Rule rule;
    private final int jobs;

    /** Runs one class once. Real JVMs behind it, or a script of results in a test. */
    interface Runner {
        TestRun run(Side side, String className, Path result, Path log) throws IOException, InterruptedException;
    }

    /** Judges a class: {@link Verdict#of} or {@link Verdict#lean}. */
    interface Rule {
        Verdict judge(List<TestRun> stock, List<TestRun> terrace);
    }

    /** Told of every run, without the tests that are left out; of one at a time. */
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

    /** What is done for one class. */
    private interface Work {
        ClassResult of(ListedClass listed, int index) throws IOException, InterruptedException;
    }

    /** @param jobs classes that run at a time */
    Campaign(ResultStore store, Runner runner, Progress progress, Rule rule, int jobs) {
        this.rule = rule;
        this.jobs = jobs;
        this.store = store;
        this.runner = runner;
        this.progress = progress;
    }

    /** Runs on both sides as far as the rule asks for it. */
    List<ClassResult> compare(List<ListedClass> classes) throws IOException, InterruptedException {
        return each(classes, (listed, index) -> {
            ClassResult result = kept(listed);
            while (result.verdict().open()) {
                Side next = result.verdict().state() == Verdict.State.NEEDS_STOCK ? Side.STOCK : Side.TERRACE;
                run(next, result, index, classes.size());
                result = kept(listed);
            }
            return result;
        });
    }

    /** Runs each class once on one side where that was not done yet, to have it ready for a comparison. */
    List<ClassResult> once(Side side, List<ListedClass> classes) throws IOException, InterruptedException {
        return each(classes, (listed, index) -> {
            ClassResult result = kept(listed);
            if ((side == Side.STOCK ? result.stock() : result.terrace()).isEmpty()) {
                run(side, result, index, classes.size());
                result = kept(listed);
            }
            return result;
        });
    }

    /** The results in the sequence of the classes. What fails, or an interrupt, ends all. */
    private List<ClassResult> each(List<ListedClass> classes, Work work) throws IOException, InterruptedException {
        ExecutorService workers = Executors.newFixedThreadPool(jobs, DaemonThreads.numbered("class-"));
        CompletionService<ClassResult> ended = new ExecutorCompletionService<>(workers);
        try {
            List<Future<ClassResult>> all = new ArrayList<>();
            for (int i = 0; i < classes.size(); i++) {
                int index = i;
                all.add(ended.submit(() -> work.of(classes.get(index), index)));
            }
            for (int i = 0; i < classes.size(); i++) {
                ended.take().get();
            }
            List<ClassResult> results = new ArrayList<>();
            for (Future<ClassResult> one : all) {
                results.add(one.get());
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException fault) {
                throw fault;
            }
            if (e.getCause() instanceof RuntimeException fault) {
                throw fault;
            }
            throw new IllegalStateException("a class could not be run", e.getCause());
        } finally {
            end(workers);
        }
    }

    /** Interrupts those that still run, and waits until their JVMs and files are gone. */
    private static void end(ExecutorService workers) throws InterruptedException {
        workers.shutdownNow();
        boolean unused = workers.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
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
        synchronized (progress) {
            progress.ran(index + 1, of, side, run);
        }
    }
}
