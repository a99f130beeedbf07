package io.terrace.bench.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process beside a cluster, as of a workload: a JVM that ends with this one. */
public final class JavaProcess implements Closeable {
    private static final long STOP_SECONDS = 60;
    private static final int ERROR_LINES = 12;

    private final String name;
    private final Path log;
    private final Process process;
    private final Thread atExit;

    private JavaProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
        this.atExit = new Thread(process::destroyForcibly, "stop-" + name);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * What all processes of a run have in common.
     *
     * @param logs directory of their output
     * @param classPath in the form of {@code java -cp}
     */
    public record Home(Path logs, String classPath) {
        /**
         * Starts a process.
         *
         * @param name of its log
         * @param conf directory of its configuration, first on its class path
         * @param options of the JVM
         * @param words main class and arguments
         */
        public JavaProcess start(String name, Path conf, List<String> options, List<String> words) throws IOException {
            Files.createDirectories(logs);
            Path log = logs.resolve(name + ".log");
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-Djava.net.preferIPv4Stack=true");
            command.add("-XX:+UseSerialGC");
            command.addAll(options);
            command.add("-cp");
            command.add(conf + ":" + classPath);
            command.addAll(words);
            return new JavaProcess(
                    name,
                    log,
                    new ProcessBuilder(command)
                            .directory(logs.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start());
        }

        /** Runs a process to its end and returns what it wrote. */
        public String run(String name, Path conf, List<String> options, List<String> words, int limitSeconds)
                throws IOException {
            return run(name, conf, options, words, "", limitSeconds);
        }

        /** @param input what the process may read; it ends then */
        String run(String name, Path conf, List<String> options, List<String> words, String input, int limitSeconds)
                throws IOException {
            try (JavaProcess javaProcess = start(name, conf, options, words)) {
                try (OutputStream in = javaProcess.process.getOutputStream()) {
                    in.write(input.getBytes(StandardCharsets.ISO_8859_1));
                } catch (IOException ended) {
                    throw javaProcess.failure("does not read its input");
                }
                return javaProcess.output(limitSeconds);
            }
        }
    }

    /** Waits until the process has written a text. */
    public void awaitWords(String text, int limitSeconds) throws IOException {
        MatchResult unused = await(Pattern.compile(Pattern.quote(text)), text, limitSeconds);
    }

    /** Waits until the process has written a text and the line that it begins; returns the rest of that line. */
    public String awaitRestOfLine(String start, int limitSeconds) throws IOException {
        return await(Pattern.compile(Pattern.quote(start) + "(.*)\n"), start, limitSeconds)
                .group(1);
    }

    private MatchResult await(Pattern pattern, String text, int limitSeconds) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        Matcher said = pattern.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
        while (!said.find()) {
            if (!process.isAlive()) {
                throw failure("ended");
            }
            if (System.nanoTime() - deadlineNs > 0) {
                throw failure("has not said '" + text + "' in " + limitSeconds + " s");
            }
            pause();
            said = pattern.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
        }
        return said.toMatchResult();
    }

    /** The process itself. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    private String output(int limitSeconds) throws IOException {
        try {
            if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
                throw failure("has not ended in " + limitSeconds + " s");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (process.exitValue() != 0) {
            throw failure("failed with " + process.exitValue());
        }
        return Files.readString(log, StandardCharsets.ISO_8859_1);
    }

    private ClusterException failure(String what) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
        return new ClusterException(name + " " + what + ", " + log + ":\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - ERROR_LINES), lines.size())));
    }

    public static void pause() throws ClusterException {
        pause(200);
    }

    public static void pause(long ms) throws ClusterException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static ClusterException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ClusterException("interrupted", e);
    }

    /** Ends the process as a crash would, and waits until it is gone. */
    public void kill() {
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    /** Asks the process to end and waits until it has, or kills it. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
