package io.terrace.bench.soak;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.faults.SystemCommand;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.soak.client.FullCheck;
import io.terrace.bench.soak.client.SoakClient;
import io.terrace.common.DaemonThreads;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One client process, started again under its name after it was killed. Thread-safe. */
final class ClientProcess implements Closeable {
    private static final int MAX_ANSWERS = 64;
    private static final Set<String> ANSWERS = Set.of("PAUSED", "STUCK", "FAULTS");

    /** For its lines to be taken in when it has ended. */
    private static final long SAID_WITHIN_MS = 10_000;

    private final String name;
    private final List<String> words;
    private final Path log;
    private final Findings findings;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>(MAX_ANSWERS);
    /** One that is stopped would not see that its parent is gone. */
    private final Thread atExit = new Thread(() -> process().destroyForcibly(), "stop-client");

    private Process process;
    private Thread listener;
    private boolean killed;

    /** @param words of the command line from the class path on */
    ClientProcess(String name, List<String> words, Path log, Findings findings) throws IOException {
        this.name = name;
        this.words = List.copyOf(words);
        this.log = log;
        this.findings = findings;
        this.process = launch();
        this.listener = listen(process);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * The command line.
     *
     * @param conf directory of the configuration
     * @param libhadoop its directory, for a client that reads short-circuit
     * @param properties {@code key=value}
     */
    static List<String> words(
            Path conf, Optional<Path> libhadoop, long seed, String name, Path journals, List<String> properties) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.net.preferIPv4Stack=true",
                "-Dlog4j.configuration=soak-client-log4j.properties"));
        libhadoop.ifPresent(dir -> words.add("-Djava.library.path=" + dir));
        words.addAll(List.of(
                "-cp",
                conf + ":" + libhadoop.map(dir -> dir + ":").orElse("") + System.getProperty("java.class.path"),
                SoakClient.class.getName(),
                Long.toString(seed),
                name,
                journals.toString()));
        words.addAll(properties);
        return words;
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private Thread listen(Process to) {
        Thread thread = DaemonThreads.make("soak-lines-" + name, () -> take(to));
        thread.start();
        return thread;
    }

    private void take(Process of) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(of.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                findings.take(name, line);
                boolean answer = ANSWERS.contains(line) || FullCheck.Checked.isLine(line);
                if (answer && !answers.offer(line)) {
                    throw new IllegalStateException(name + " answers what it was not asked");
                }
            }
        } catch (IOException closed) {
            // By the end of this process.
            return;
        } finally {
            findings.ended(name);
        }
    }

    String name() {
        return name;
    }

    private synchronized Process process() {
        return process;
    }

    synchronized long pid() {
        return process.pid();
    }

    synchronized void signal(String signal) throws IOException {
        SystemCommand.signal(process.toHandle(), signal);
    }

    /**
     * Ends it as a crash would, and takes in what it had said. {@code Process.destroyForcibly} closes this end of its output, and
     * what is wrong might be lost with it.
     */
    synchronized void kill() throws IOException {
        killed |= process.isAlive();
        SystemCommand.signal(process.toHandle(), "KILL");
        try {
            process.waitFor();
            listener.join(SAID_WITHIN_MS);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    synchronized boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it is gone and {@link #kill} has not ended it. */
    synchronized boolean hasEnded() {
        return !process.isAlive() && !killed;
    }

    /** Starts it again if it has ended. */
    synchronized void restart() throws IOException {
        if (!process.isAlive()) {
            process = launch();
            listener = listen(process);
            killed = false;
        }
    }

    synchronized void say(String command) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /** Gives a command that is answered. */
    void ask(String command) throws IOException {
        answers.clear();
        say(command);
    }

    /** Waits for the answer to the command that was asked last. */
    String answer(String command, int seconds) throws IOException {
        try {
            String answer = answers.poll(seconds, TimeUnit.SECONDS);
            if (answer == null) {
                signal("QUIT");
                throw new ClusterException(
                        name + " has not answered " + command + " in " + seconds + " s; its stacks are in " + log);
            }
            return answer;
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    @Override
    public void close() throws IOException {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            return;
        }
    }
}
