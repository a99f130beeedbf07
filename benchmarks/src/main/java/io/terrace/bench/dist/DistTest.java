package io.terrace.bench.dist;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code bin/terrace test dist}.
 *
 * <p>Exit codes: 0 all holds, 1 not, 2 the command line is wrong.
 */
@Command(
        name = "dist",
        mixinStandardHelpOptions = true,
        description = {
            "Builds the tarball twice and compares; installs it beside a stock Hadoop under an empty HOME by the commands of"
                    + " docs/guides/install.md, reads from memory, and takes it out by those of upgrade-and-remove.md.",
            "Also: what is in the jars, a truncated tarball, jars of two releases, no jar, and a second release beside the first."
        })
public final class DistTest implements Callable<Integer> {
    private static final long SERVER_MAX = 15L << 20;
    private static final int MAN_PAGES_LEAST = 29;
    private static final long CLIENT_MAX = 2L << 20;
    private static final double MINUTES_MAX = 5;

    @Option(
            names = "--tarball",
            paramLabel = "FILE",
            description = "test this one, with its .sha256 beside it; no build")
    private @Nullable Path tarball;

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there")
    private @Nullable Path json;

    @Option(names = "--keep", description = "keep the directory of the run, which has all logs")
    private boolean keep;

    @Spec
    private @Nullable CommandSpec spec;

    private final Map<String, Number> figures = new LinkedHashMap<>();
    private int failed;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("terrace.root", ".")).toAbsolutePath();
        Path run = Files.createTempDirectory("terrace-dist-test");
        try {
            Path downloads = tarball == null ? build(root, run) : given(tarball, run);
            Installation installation = new Installation(
                    root, run, downloads, StockHadoop.make(run.resolve("hadoop"), ClassPath.ofThisProcess()));
            installation.truncate();
            check("truncated.refused", installation.refused() ? 1 : 0, 1, 1);
            try {
                install(installation);
                check("configured", installation.configured() ? 1 : 0, 1, 1);
                jars(installation);
                manual(installation.home());
                check("java.home", installation.runsWithoutJavaHome() ? 1 : 0, 1, 1);
                check("java.broken", installation.saysWhyJavaDoesNotRun() ? 1 : 0, 1, 1);
                check("host", installation.checksHost() ? 1 : 0, 1, 1);
                read(installation, "");
                check("commands.failed", installation.failedServerCommands(), 0, 0);
                installation.restart("HADOOP_USER_CLASSPATH_FIRST=true");
                read(installation, ".before");
                releases(installation);
                check("upgraded", installation.upgrade() ? 1 : 0, 1, 1);
                check("removed", installation.remove() ? 1 : 0, 1, 1);
            } finally {
                installation.stop();
            }
        } finally {
            if (keep || failed > 0) {
                out().println("logs: " + run);
            } else {
                delete(run);
            }
        }
        check("failed", failed, 0, 0);
        if (json != null) {
            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), figures);
        }
        return failed == 0 ? 0 : 1;
    }

    private Path build(Path root, Path run) throws IOException, InterruptedException {
        List<Path> made = List.of(run.resolve("downloads"), run.resolve("again"));
        for (Path to : made) {
            Process build = new ProcessBuilder(root.resolve("bin/dist/build.sh").toString(), "--out", to.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(run.resolve("build.log").toFile())
                    .start();
            if (build.waitFor() != 0) {
                throw new ClusterException("bin/terrace dist failed: " + Files.readString(run.resolve("build.log")));
            }
        }
        Path first = tarballIn(made.get(0));
        long differs = Files.mismatch(first, made.get(1).resolve(first.getFileName()));
        check("same", differs < 0 ? 1 : 0, 1, 1);
        return made.get(0);
    }

    private static Path given(Path tarball, Path run) throws IOException {
        Path downloads = Files.createDirectory(run.resolve("downloads"));
        for (String suffix : List.of("", ".sha256")) {
            Path file = Path.of(tarball.toAbsolutePath() + suffix);
            if (!Files.isRegularFile(file)) {
                throw new ClusterException(file + " is not there: make it with bin/terrace dist");
            }
            Files.copy(file, downloads.resolve(Objects.requireNonNull(file.getFileName())));
        }
        return downloads;
    }

    static Path tarballIn(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow(() -> new ClusterException(directory + " has no tarball"));
        }
    }

    private void install(Installation installation) throws IOException, InterruptedException {
        installation.startStock();
        long startNs = System.nanoTime();
        boolean installed = installation.install();
        check("minutes", (System.nanoTime() - startNs) / 60e9, 0, MINUTES_MAX);
        check("installed", installed ? 1 : 0, 1, 1);
        if (!installed) {
            throw new ClusterException("a command of docs/guides/install.md failed: see the logs");
        }
    }

    private void jars(Installation installation) throws IOException {
        ReleaseJar server = ReleaseJar.in(installation.home().resolve("lib/server"));
        ReleaseJar client = ReleaseJar.in(installation.home().resolve("lib/client"));
        ReleaseJar ctl = ReleaseJar.in(installation.home().resolve("lib/ctl"));
        List<Path> hadoop = installation.hadoop().jars();
        check("server.bytes", server.bytes(), 1, SERVER_MAX);
        check("client.bytes", client.bytes(), 1, CLIENT_MAX);
        for (ReleaseJar jar : List.of(server, client, ctl)) {
            none("foreign", jar, jar.foreign());
        }
        none("unresolved", server, server.unresolved(hadoop));
        none("unresolved", client, client.unresolved(hadoop));
        List<Path> others = new ArrayList<>(hadoop);
        others.add(server.file());
        none("unresolved", ctl, ctl.unresolved(others));
    }

    /** Each command has a page, and bash takes the completion. */
    private void manual(Path home) throws IOException, InterruptedException {
        try (var pages = Files.list(home.resolve("share/man/man1"))) {
            check(
                    "man.pages",
                    pages.filter(page -> page.toString().endsWith(".1.gz")).count(),
                    MAN_PAGES_LEAST,
                    200);
        }
        String completion =
                home.resolve("share/bash-completion/completions/placementctl").toString();
        Process bash = new ProcessBuilder("bash", "-c", "source \"$0\" && complete -p placementctl", completion)
                .redirectErrorStream(true)
                .start();
        bash.getInputStream().readAllBytes();
        check("completion", bash.waitFor() == 0 ? 1 : 0, 1, 1);
    }

    /** All reads of a file in memory, by the accessor and by the FileSystem class, come from there. */
    private void read(Installation installation, String order) throws IOException, InterruptedException {
        long wrong = installation.pin() ? 0 : 1;
        for (String option : List.of("", "-D fs.hdfs.impl=io.terrace.fs.TerraceFileSystem")) {
            wrong += installation.reads(option) ? 0 : 1;
        }
        check("wrong" + order, wrong, 0, 0);
        check("memory.share" + order, installation.memoryShare(), 0.9, 1);
    }

    private void releases(Installation installation) throws IOException, InterruptedException {
        ReleaseJar server = ReleaseJar.in(installation.home().resolve("lib/server"));
        Path other = server.file().resolveSibling("terrace-server-0.0.0.jar");
        server.copyAs("0.0.0", other);
        installation.restart("");
        check("releases.errors", installation.errors("two releases of Terrace"), 2, 2);
        check("releases.reads", installation.reads("") ? 1 : 0, 1, 1);
        Files.delete(other);
        Path aside = installation.home().resolve("aside.jar");
        Files.move(server.file(), aside);
        check("nothing.said", installation.saysThatJarIsMissing() ? 1 : 0, 1, 1);
        Files.move(aside, server.file());
        ReleaseJar client = ReleaseJar.in(installation.home().resolve("lib/client"));
        Files.move(client.file(), aside);
        check("missing.class", installation.saysThatClientsLackTheClass() ? 1 : 0, 1, 1);
        Files.move(aside, client.file());
    }

    private void none(String name, ReleaseJar jar, Iterable<String> found) {
        int count = 0;
        for (String each : found) {
            count++;
            if (count <= 5) {
                out().println("  " + jar.file().getFileName() + ": " + each);
            }
        }
        String part = jar.file().getFileName().toString().split("-", 3)[1];
        check(part + "." + name, count, 0, 0);
    }

    private void check(String name, Number value, double least, double most) {
        boolean holds = value.doubleValue() >= least && value.doubleValue() <= most;
        failed += holds ? 0 : 1;
        figures.put("dist." + name, value);
        String shown =
                value instanceof Double ? String.format(Locale.ROOT, "%.2f", value.doubleValue()) : value.toString();
        out().printf("%-24s %12s %s%n", "dist." + name, shown, holds ? "" : "FAILED");
        out().flush();
    }

    private PrintWriter out() {
        return Objects.requireNonNull(spec, "picocli sets it").commandLine().getOut();
    }

    private static void delete(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
