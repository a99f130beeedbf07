package io.terrace.bench.compare;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One command of {@code bin/terrace} by any build, in a JVM of its own with the options of this one. */
public final class BenchProcess {
    private static final int TRIES = 3;
    private static final long LIMIT_MINUTES = 120;
    private static final long STOP_SECONDS = 60;
    private static final int LAST_LINES = 12;
    private static final String ON_TERMINAL = "-Dterrace.terminal=";

    private BenchProcess() {}

    /**
     * Runs it to its end, and again when it exits with 1: on a busy machine a benchmark may refuse its own figures. A log of
     * each run stays.
     *
     * @param what for messages
     * @param words main class and arguments
     * @param log output of the run that succeeds; others are beside it
     * @return how often it failed
     */
    public static int run(String what, ClassPath classPath, List<String> words, Path log) throws IOException {
        for (int failed = 0; ; failed++) {
            int exitCode = runOnce(what, classPath, words, log);
            if (exitCode == 0) {
                return failed;
            }
            if (exitCode != 1 || failed == TRIES - 1) {
                throw failure(what + " failed with " + exitCode, log);
            }
            Files.move(log, Path.of(log + ".failed-" + (failed + 1)), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static int runOnce(String what, ClassPath classPath, List<String> words, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith(ON_TERMINAL))
                .forEach(command::add);
        command.add("-cp");
        command.add(classPath.text());
        command.addAll(words);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // Ask it to end rather than kill it: then it removes its cluster.
        Thread atExit = new Thread(() -> stop(process), "stop-benchmark");
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                throw failure(what + " has not ended in " + LIMIT_MINUTES + " minutes", log);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        } finally {
            stop(process);
            forget(atExit);
        }
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void forget(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException alreadyExiting) {
            // The hook is running or has run, and does the same as the caller.
            return;
        }
    }

    private static ClusterException failure(String what, Path log) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
        return new ClusterException(what + ", " + log + ":\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())));
    }
}
