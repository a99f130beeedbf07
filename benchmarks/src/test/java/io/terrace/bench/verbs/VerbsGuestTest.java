package io.terrace.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of {@code bin/terrace test verbs} when it is killed; with commands in the place of Maven and the emulator. */
final class VerbsGuestTest {
    private static final Path SCRIPTS = Path.of("verbs-guest");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path root;

    private Path guest;
    private Path pidFile;
    private final List<Process> started = new ArrayList<>();

    /** A tree as the script finds it, with a guest that is built already. */
    @BeforeEach
    void standIns() throws IOException {
        Path scripts = Files.createDirectories(root.resolve("benchmarks/verbs-guest"));
        for (String script : List.of("suite", "guest")) {
            Files.copy(SCRIPTS.resolve(script), scripts.resolve(script));
            Files.setPosixFilePermissions(scripts.resolve(script), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        for (String module : List.of("rdma-channel", "datanode-tiers")) {
            Files.createDirectories(root.resolve(module + "/target/classes"));
            Files.createDirectories(root.resolve(module + "/target/test-classes"));
        }
        executable(
                root.resolve("path/mvn"),
                """
                for argument; do
                  case $argument in -Dmdep.outputFile=*) : >"${argument#*=}" ;; esac
                done
                """);
        guest = Files.createDirectories(root.resolve("benchmarks/target/verbs/guest"));
        Files.createFile(guest.resolve("built"));
        pidFile = root.resolve("pid");
        executable(
                guest.resolve("host/usr/bin/qemu-system-x86_64"),
                """
                echo $$ >'%1$s.new' && mv '%1$s.new' '%1$s'
                exec sleep 600
                """
                        .formatted(pidFile));
    }

    private static void executable(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void endAll() throws IOException {
        started.forEach(Process::destroyForcibly);
        if (Files.exists(pidFile)) {
            emulator().ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private Optional<ProcessHandle> emulator() throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()));
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("output").toFile());
        Map<String, String> environment = builder.environment();
        environment.put("PATH", root.resolve("path") + ":" + environment.get("PATH"));
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private void assertEmulatorEndsWith(Process script, Runnable kill) throws IOException {
        await().atMost(PATIENCE).until(() -> Files.exists(pidFile) || !script.isAlive());
        assertThat(pidFile).as(Files.readString(root.resolve("output"))).exists();
        ProcessHandle emulator = emulator().orElseThrow();
        kill.run();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(emulator.isAlive())
                .as("the emulator outlives who started it")
                .isFalse());
    }

    @Test
    void guest_ofASuiteThatIsKilled_endsToo() throws Exception {
        Process suite = start(root.resolve("benchmarks/verbs-guest/suite").toString());
        assertEmulatorEndsWith(suite, suite::destroyForcibly);
    }

    @Test
    void guest_ofASuiteThatIsAskedToEnd_endsToo() throws Exception {
        Process suite = start(root.resolve("benchmarks/verbs-guest/suite").toString());
        assertEmulatorEndsWith(suite, suite::destroy);
    }

    @Test
    void guest_whoseOwnScriptIsKilled_ends() throws Exception {
        Process script = start(
                root.resolve("benchmarks/verbs-guest/guest").toString(),
                "run",
                guest.toString(),
                Files.createDirectories(root.resolve("share")).toString(),
                "true");
        assertEmulatorEndsWith(script, script::destroyForcibly);
    }
}
