package io.terrace.bench.conformance;

import io.terrace.bench.conformance.jars.Scratch;
import io.terrace.bench.conformance.launcher.LooseClass;
import io.terrace.bench.conformance.launcher.ResultFile;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestJvm;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.Ending;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the JVM of one test class and ends it at its time limit.
 *
 * <p>Each JVM has a {@link Scratch} of its own. A JVM that runs into its limit leaves a thread dump in its log, is asked
 * to end (so that its shutdown hook writes the figures) and is killed after {@value #GRACE_SECONDS} seconds.
 */
final class TestProcess {
    private static final int GRACE_SECONDS = 15;

    /** As Hadoop's own build starts its tests, but C1 only: hadoop-project's surefire argLine. */
    private static final List<String> HADOOP_JVM_ARGUMENTS = List.of(
            "-Xss4m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.math=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/java.text=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
            "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.util=ALL-UNNAMED",
            "--add-opens=java.base/sun.security.x509=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED");

    private final Path java;
    private final Settings settings;

    /**
     * What all JVMs of a run have in common.
     *
     * @param timeLimit of one class
     * @param heap as {@code -Xmx} takes it
     * @param diskParent where the directories on disk are made
     * @param memoryParent where the directories in memory are made
     * @param nativeLibraries a directory with libhadoop, where there is one
     */
    record Settings(
            Duration timeLimit, String heap, Path diskParent, Path memoryParent, @Nullable Path nativeLibraries) {}

    /** The arguments of a test JVM that its result may depend on. */
    static List<String> arguments(String heap) {
        List<String> arguments = new ArrayList<>();
        arguments.add("-Xmx" + heap);
        arguments.addAll(HADOOP_JVM_ARGUMENTS);
        return arguments;
    }

    /**
     * @param java the {@code java} to run
     * @param settings what all JVMs have in common
     */
    TestProcess(Path java, Settings settings) {
        this.java = java;
        this.settings = settings;
    }

    /**
     * Runs one class and leaves the complete result in {@code result}, the output in {@code log}.
     *
     * @param copies whether blocks are copied to memory at once
     * @param classPath of the test JVM, as {@code -cp} takes it
     */
    TestRun run(Side side, String className, boolean copies, String classPath, Path result, Path log)
            throws IOException, InterruptedException {
        Path results = Objects.requireNonNull(result.toAbsolutePath().getParent(), "results");
        Files.createDirectories(log.toAbsolutePath().getParent());
        try (Scratch scratch = Scratch.make(settings.diskParent(), settings.memoryParent(), results)) {
            long startedNs = System.nanoTime();
            Ending ending = start(command(side, className, copies, classPath, scratch, log), scratch, log);
            double seconds = Math.round((System.nanoTime() - startedNs) / 1e7) / 100.0;
            Path part = scratch.part();
            // On a new line, even if the JVM ended in the middle of one.
            String last = (endsWithin(part) ? "\n" : "") + ResultFile.endedLine(ending, seconds) + "\n";
            Files.writeString(part, last, StandardOpenOption.APPEND);
            TestRun run = ResultFile.parse(Files.readAllLines(part, StandardCharsets.UTF_8))
                    .orElseThrow();
            Files.move(part, result, StandardCopyOption.ATOMIC_MOVE);
            return run;
        }
    }

    private static boolean endsWithin(Path part) throws IOException {
        byte[] written = Files.readAllBytes(part);
        return written.length > 0 && written[written.length - 1] != '\n';
    }

    private Ending start(List<String> command, Scratch scratch, Path log) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(scratch.disk().toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("MALLOC_ARENA_MAX", "4");
        builder.environment().keySet().removeIf(name -> name.startsWith("HADOOP_"));
        Process process = builder.start();
        Thread onExit = new Thread(() -> abandon(process, scratch), "end test JVM");
        try {
            Runtime.getRuntime().addShutdownHook(onExit); // Fails where the runner is ending: the JVM must end too.
            if (process.waitFor(settings.timeLimit().toMillis(), TimeUnit.MILLISECONDS)) {
                List<String> lines = Files.readAllLines(scratch.part(), StandardCharsets.UTF_8);
                return process.exitValue() == 0 && ResultFile.isDone(lines) ? Ending.COMPLETE : Ending.CRASHED;
            }
            dumpThreads(process, log);
            process.destroy();
            process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
            return Ending.TIMED_OUT;
        } finally {
            killTree(process);
            process.waitFor();
            forget(onExit);
        }
    }

    private static void forget(Thread onExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException ended) {
            // The runner is ending, so the hook runs already.
        }
    }

    /** When the runner itself is ended: kills the JVM and removes its files. */
    private static void abandon(Process process, Scratch scratch) {
        killTree(process);
        try {
            process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
            scratch.close();
        } catch (IOException e) {
            System.err.println("left behind: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> command(
            Side side, String className, boolean copies, String classPath, Scratch scratch, Path log)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.addAll(arguments(settings.heap()));
        command.add("-XX:ErrorFile=" + log + ".hs_err");
        property(command, "java.io.tmpdir", scratch.temporary());
        property(command, "test.build.dir", scratch.disk().resolve("b"));
        property(command, "test.build.data", scratch.disk().resolve("d"));
        property(command, "test.cache.data", scratch.disk().resolve("c"));
        property(command, "test.build.webapps", scratch.disk().resolve("w"));
        property(command, "hadoop.log.dir", scratch.disk().resolve("l"));
        property(command, "hadoop.tmp.dir", scratch.disk().resolve("h"));
        property(command, "terrace.conformance.dir", scratch.memory());
        siteProperties(copies).forEach((name, value) -> property(command, name, value));
        property(command, "terrace.conformance.port", freePort());
        property(command, "java.net.preferIPv4Stack", true);
        property(command, "java.security.egd", "file:///dev/urandom");
        Path libraries = settings.nativeLibraries();
        if (libraries != null) {
            property(command, "java.library.path", libraries);
        }
        command.add("-cp");
        command.add(
                LooseClass.copy(className, classPath, scratch.classes())
                        ? scratch.classes() + File.pathSeparator + classPath
                        : classPath);
        command.add(TestJvm.class.getName());
        command.add(side.name());
        command.add(className);
        command.add(scratch.part().toString());
        return command;
    }

    /** What Terrace's site file takes from system properties, but for directories and ports. */
    static Map<String, String> siteProperties(boolean copies) {
        return new TreeMap<>(Map.of(
                "terrace.conformance.copies", Boolean.toString(copies),
                "terrace.conformance.policy", copies ? "adaptive" : "idecider",
                "terrace.conformance.policy.parameters", copies ? "" : "threshold=" + Integer.MAX_VALUE));
    }

    /**
     * A port for the placement service of this JVM, so that its DataNodes do not ask that of another run on the host.
     */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void property(List<String> command, String name, Object value) {
        command.add("-D" + name + "=" + value);
    }

    private void dumpThreads(Process process, Path log) throws IOException, InterruptedException {
        Path jcmd = java.resolveSibling("jcmd");
        if (Files.isExecutable(jcmd)) {
            Process dump = new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "Thread.print")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!dump.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                dump.destroyForcibly();
            }
        }
    }

    private static void killTree(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
