package io.terrace.bench.host;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.ResultsFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code bin/terrace test host}.
 *
 * <p>Exit codes: 0 all holds, 1 not, 2 the command line is wrong.
 */
@Command(
        name = "host",
        mixinStandardHelpOptions = true,
        description = {
            "Runs terrace-host on images of twelve hosts: kernels from 4.18 to 6.8, control groups of version 1 and 2. Its units"
                    + " go through systemd-analyze, all scripts of this source tree through shellcheck.",
            "As root it also makes a real mount, in a mount namespace of its own, breaks it, and has it mended."
        })
public final class HostTest implements Callable<Integer> {
    /** Without {@code noswap} for tmpfs. */
    private static final List<String> OLDER_KERNELS =
            List.of("4.18.0-553.el8_10.x86_64", "5.4.0-190-generic", "5.14.0-427.el9_4.x86_64", "6.1.0-25-amd64");

    /** With it. */
    private static final List<String> NEWER_KERNELS = List.of("6.4.0-150600.23-default", "6.8.0-45-generic");

    private static final int CGROUP_VERSIONS = 2;

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there")
    private @Nullable Path json;

    @Option(names = "--keep", description = "keep the images")
    private boolean keep;

    @Spec
    private @Nullable CommandSpec spec;

    private final Path root = Path.of(System.getProperty("terrace.root", ".")).toAbsolutePath();
    private final List<String> failures = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        PrintWriter out =
                Objects.requireNonNull(spec, "picocli sets it").commandLine().getOut();
        ResultSheet sheet = new ResultSheet(out);
        Path run = Files.createTempDirectory("terrace-host-test");
        try {
            int images = 0;
            List<String> kernels = new ArrayList<>(OLDER_KERNELS);
            kernels.addAll(NEWER_KERNELS);
            for (String kernel : kernels) {
                for (int cgroup = 1; cgroup <= CGROUP_VERSIONS; cgroup++) {
                    String name = kernel.split("-", 2)[0] + ", control groups " + cgroup;
                    int before = failures.size();
                    image(name, HostImage.make(run.resolve("image-" + images), kernel, cgroup));
                    refusals(name, HostImage.make(run.resolve("refused-" + images), kernel, cgroup));
                    sheet.progress(name + (failures.size() == before ? "" : ": FAILED"));
                    images++;
                }
            }
            sheet.exactly("host.images", images, kernels.size() * CGROUP_VERSIONS);
            List<Path> scripts = scripts();
            scripts.add(mountScript(run));
            shellcheck(scripts);
            sheet.atLeast("host.scripts", scripts.size(), 8);
            if (Files.isWritable(Path.of("/etc"))) {
                sheet.exactly("host.mount", mount(run) ? 1 : 0, 1);
            } else {
                sheet.progress("no real mount: that needs root");
            }
        } finally {
            if (keep || !failures.isEmpty()) {
                out.println("images: " + run);
            } else {
                LocalCluster.deleteTree(run);
            }
        }
        failures.forEach(sheet::progress);
        sheet.exactly("host.failed", failures.size(), 0);
        if (json != null) {
            ResultsFile.write(json, sheet.figures());
        }
        return sheet.missed() == 0 ? 0 : 1;
    }

    private void image(String name, HostImage image) throws IOException {
        List<String> before = image.contents();
        expect(name + ": check before", 1, terraceHost(image, "check"));
        expect(name + ": prepare --dry-run", 0, terraceHost(image, "prepare", "--dry-run"));
        require(name + ": --dry-run changes nothing", image.contents().equals(before));
        expect(name + ": prepare", 0, terraceHost(image, "prepare"));
        boolean noswap = NEWER_KERNELS.contains(image.kernel());
        require(name + ": noswap from 6.4", image.mountUnit().contains(",noswap") == noswap);
        require(
                name + ": no swap for the service where tmpfs cannot",
                image.dropIn().contains("MemorySwapMax=0") == (!noswap && image.cgroup() == 2));
        for (String unit : List.of(HostImage.MOUNT, HostImage.SERVICE)) {
            Program verify = Program.run(
                    Map.of("SYSTEMD_UNIT_PATH", image.unitPath(), "SYSTEMD_LOG_LEVEL", "warning"),
                    List.of("systemd-analyze", "verify", "--man=no", unit));
            require(
                    name + ": systemd-analyze verify " + unit + ": " + verify.said(),
                    verify.exitCode() == 0 && !verify.said().contains("terrace"));
        }
        image.boot();
        expect(name + ": check after a boot", 0, terraceHost(image, "check"));
        List<String> prepared = image.contents();
        Program again = terraceHost(image, "prepare");
        expect(name + ": prepare again", 0, again);
        require(
                name + ": prepare again has nothing to do: " + again.said(),
                again.said().contains("Nothing to do.") && image.contents().equals(prepared));
    }

    /** What must be refused, with nothing changed. */
    private void refusals(String name, HostImage image) throws IOException {
        Files.createDirectories(image.memory());
        Files.writeString(image.memory().resolve("file"), "of somebody");
        refused(name + ": mount over files", image);
        Files.delete(image.memory().resolve("file"));
        image.mount("ext4", "rw");
        refused(name + ": a mount of another kind", image);
        image.file("/proc/self/mounts", "");
        Files.delete(image.memory());
        Files.writeString(image.memory(), "no directory");
        refused(name + ": mount over a file", image);
    }

    private void refused(String what, HostImage image) throws IOException {
        List<String> before = image.contents();
        Program prepare = terraceHost(image, "prepare");
        expect(what, 1, prepare);
        require(what + " changes nothing", image.contents().equals(before));
        require(what + " names the directory: " + prepare.said(), prepare.said().contains("/mnt/terrace-memory"));
    }

    private Program terraceHost(HostImage image, String... words) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(root.resolve("bin/terrace-host").toString()));
        command.addAll(List.of(words));
        command.addAll(List.of(
                "--root", image.root().toString(), "--conf", image.conf().toString()));
        return Program.run(Map.of(), command);
    }

    /** All that bash runs, by its first line. */
    private List<Path> scripts() throws IOException {
        List<Path> scripts = new ArrayList<>();
        for (String dir : List.of("bin", ".ci", "benchmarks/verbs-guest")) {
            try (Stream<Path> files = Files.walk(root.resolve(dir))) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    String begin = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                            .lines()
                            .findFirst()
                            .orElse("");
                    if (begin.matches("#!.*\\b(ba|da)?sh|# shellcheck shell=.*")) {
                        scripts.add(file);
                    }
                }
            }
        }
        return scripts;
    }

    private void shellcheck(List<Path> scripts) throws IOException {
        List<String> command = new ArrayList<>(List.of("shellcheck", "-x", "-P", "SCRIPTDIR", "-P", root.toString()));
        scripts.forEach(script -> command.add(script.toString()));
        Program shellcheck = Program.run(Map.of(), command);
        require("shellcheck: " + shellcheck.said(), shellcheck.exitCode() == 0);
    }

    private static Path mountScript(Path run) throws IOException {
        Path script = run.resolve("mount.sh");
        try (InputStream in = HostTest.class.getResourceAsStream("mount.sh")) {
            Files.copy(Objects.requireNonNull(in, "mount.sh"), script);
        }
        return script;
    }

    private boolean mount(Path run) throws IOException {
        Program program = Program.run(
                Map.of(),
                List.of(
                        "unshare",
                        "--mount",
                        "--propagation",
                        "private",
                        "bash",
                        run.resolve("mount.sh").toString(),
                        root.resolve("bin/terrace-host").toString(),
                        run.resolve("mount-conf").toString()));
        boolean mended = program.exitCode() == 0 && program.said().endsWith("mended\n");
        require("a real mount:\n" + program.said(), mended);
        return mended;
    }

    private void expect(String what, int exitCode, Program program) {
        require(
                what + ": exit code " + program.exitCode() + " instead of " + exitCode + ": " + program.said(),
                program.exitCode() == exitCode);
    }

    private void require(String what, boolean holds) {
        if (!holds) {
            failures.add(what);
        }
    }
}
