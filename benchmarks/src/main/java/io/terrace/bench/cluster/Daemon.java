package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * One daemon of a local cluster: a process of its own that outlives this one, known by its pid file.
 *
 * <p>A pid alone is no proof, since the kernel uses it again: the process counts as this daemon only while its command
 * line carries the cluster's directory and the daemon's name. Instances hold no state; two of them for one daemon agree.
 */
public final class Daemon {
    /** How the name of the file with its standard output ends. */
    private static final String OUTPUT = ".out";

    private static final String MARK = "-Dterrace.daemon=";

    /** The stack of such an exception may follow it. */
    private static final int BIND_LINES = 160;

    private final String name;
    private final ClusterLayout layout;

    Daemon(String name, ClusterLayout layout) {
        this.name = name;
        this.layout = layout;
    }

    public String name() {
        return name;
    }

    /** The log that the daemon writes. */
    public Path log() {
        return layout.logs().resolve(name + ".log");
    }

    /** Standard output and error of the daemon's JVM. */
    public Path output() {
        return layout.logs().resolve(name + OUTPUT);
    }

    /** Where the JVM says why it crashed; {@code %p} stands for its process. */
    private Path crash() {
        return layout.logs().resolve(name + ".hs_err_%p");
    }

    /** The mark on the daemon's command line. */
    private String mark() {
        return MARK + layout.dir() + "/" + name;
    }

    /**
     * Starts the process, in a session of its own where the host can, so that neither a Ctrl-C nor the end of the
     * terminal reaches it.
     *
     * @param java the JDK
     * @param launcher words before the command line
     * @param jvm the options of the JVM, its class path and main class
     */
    void start(JavaHome java, List<String> launcher, List<String> jvm) throws IOException {
        Files.createDirectories(layout.logs());
        Files.createDirectories(layout.pids());
        DaemonCommand command = new DaemonCommand(java, mark(), log(), crash(), jvm);
        List<String> words = new ArrayList<>(launcher);
        words.addAll(command.words());
        Process process = new ProcessBuilder(words)
                .directory(layout.dir().toFile())
                .redirectErrorStream(true)
                // The last words of the process before this one stay.
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        Files.writeString(pidFile(), process.pid() + "\n");
    }

    /** The running process, empty when the daemon is not up. */
    public Optional<ProcessHandle> process() throws IOException {
        String text;
        try {
            text = Files.readString(pidFile()).strip();
        } catch (NoSuchFileException neverStarted) {
            return Optional.empty();
        }
        long pid;
        try {
            pid = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ClusterException(pidFile() + " holds no process id: remove it", e);
        }
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(this::isOurs);
    }

    /** Whether it was started and is gone, and neither {@link #kill} nor {@link #awaitEnd} has ended it. */
    public boolean hasEnded() throws IOException {
        return Files.exists(pidFile()) && process().isEmpty();
    }

    /** Ends the process as a crash would, waits until it is gone, and forgets it. */
    public void kill() throws IOException {
        Optional<ProcessHandle> running = process();
        if (running.isPresent()) {
            running.get().destroyForcibly();
            await(running.get(), 10);
            Files.deleteIfExists(pidFile());
        }
    }

    /** Asks the process to end; {@link #awaitEnd} waits for it. */
    void terminate() throws IOException {
        process().ifPresent(ProcessHandle::destroy);
    }

    /** Waits for the end of the process, kills it after the given time, and forgets it. */
    void awaitEnd(int seconds) throws IOException {
        Optional<ProcessHandle> running = process();
        if (running.isPresent() && !await(running.get(), seconds)) {
            kill();
        }
        Files.deleteIfExists(pidFile());
    }

    /** Whether its last words are that another process has a port of it. */
    boolean hasFoundPortTaken() throws IOException {
        return errorLines(BIND_LINES).contains("java.net.BindException");
    }

    /** The same of any daemon of a cluster that was started. */
    static boolean anyHasFoundPortTaken(ClusterLayout layout) throws IOException {
        if (!Files.isDirectory(layout.logs())) {
            return false;
        }
        try (Stream<Path> outputs = Files.list(layout.logs())) {
            for (Path output : outputs.toList()) {
                String file = output.getFileName().toString();
                if (file.endsWith(OUTPUT)
                        && new Daemon(file.substring(0, file.length() - OUTPUT.length()), layout).hasFoundPortTaken()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The last lines of its output above level INFO, for an error message. */
    String errorLines(int lines) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path file : List.of(output(), log())) {
            if (Files.exists(file)) {
                List<String> lastLines = Files.readAllLines(file, StandardCharsets.ISO_8859_1).stream()
                        .filter(line -> !line.contains(" INFO ") && !line.startsWith("STARTUP_MSG"))
                        .toList();
                lastLines
                        .subList(Math.max(0, lastLines.size() - lines), lastLines.size())
                        .forEach(line -> text.append("  ").append(line).append('\n'));
            }
        }
        return text.toString();
    }

    /** The first line of the log that holds the text. */
    Optional<String> logLine(String text) throws IOException {
        if (!Files.exists(log())) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(log(), StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(text)).findFirst();
        }
    }

    private Path pidFile() {
        return layout.pids().resolve(name + ".pid");
    }

    private boolean isOurs(ProcessHandle process) {
        try {
            byte[] commandLine = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
            for (String word : new String(commandLine, StandardCharsets.UTF_8).split("\0", -1)) {
                if (word.equals(mark())) {
                    return true;
                }
            }
            return false;
        } catch (IOException goneOrNoProc) {
            return false;
        }
    }

    private static boolean await(ProcessHandle process, int seconds) throws IOException {
        CompletableFuture<ProcessHandle> end = process.onExit();
        try {
            end.get(seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException stillThere) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException("cannot wait for process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while process " + process.pid() + " ended", e);
        }
    }
}
