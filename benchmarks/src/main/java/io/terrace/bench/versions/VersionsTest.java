package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaHome;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test versions}. */
@Command(
        name = "versions",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a NameNode and a DataNode of each Hadoop on each JDK, then of two Hadoops mixed, with this build's jars. A"
                    + " file is pinned in memory, and clients of each Hadoop read it with the accessor and with the FileSystem"
                    + " class.",
            "Daemons of a Hadoop that is not supported, and daemons and clients with jars for a newer JVM, must be stock HDFS"
                    + " and log one ERROR.",
            "Maven fetches the jars of each Hadoop when they are first needed."
        })
public final class VersionsTest implements Callable<Integer> {

    @Option(
            names = "--servers",
            split = ",",
            paramLabel = "VERSION",
            defaultValue = "3.4.1,3.4.3,3.5.0",
            description = "Hadoop of the daemons (${DEFAULT-VALUE})")
    private List<String> servers = List.of();

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "VERSION",
            defaultValue = "3.3.6,3.4.3,3.5.0",
            description = "Hadoop of the clients (${DEFAULT-VALUE})")
    private List<String> clients = List.of();

    @Option(
            names = "--unsupported",
            split = ",",
            paramLabel = "VERSION",
            defaultValue = "3.3.6,3.4.0",
            description = "Hadoop of daemons that must stay stock, 'none' for none (${DEFAULT-VALUE})")
    private List<String> unsupported = List.of();

    @Option(
            names = "--jdk",
            split = ",",
            paramLabel = "DIR",
            description =
                    "JDKs of the daemons (the one that runs this command); mixed and unsupported ones use the first")
    private List<Path> jdks = List.of();

    @Option(
            names = "--release",
            paramLabel = "DIR",
            description = "an unpacked tarball of another release of Terrace: its servers with this build's client, and"
                    + " the other way round")
    private @Nullable Path release;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<JavaHome> homes = homes();
        List<HadoopJars> serverJars = fetch(servers);
        List<HadoopJars> clientJars = fetch(clients);
        List<HadoopJars> others = fetch(unsupported.equals(List.of("none")) ? List.of() : unsupported);
        HadoopJars newest = serverJars.get(serverJars.size() - 1);
        return testRun.run("versions", (run, sheet) -> {
            for (Daemons daemons : supported(homes, serverJars)) {
                supported(daemons.name(), daemons, List.of(ClassPath.client()), run, sheet)
                        .run(clientJars);
            }
            if (release != null) {
                releases(release, homes.get(0), newest, clientJars, run, sheet);
            }
            unsupported(homes.get(0), newest, others, run, sheet);
        });
    }

    /** The servers of another release of Terrace with this build's client, and the other way round. */
    private void releases(
            Path other, JavaHome java, HadoopJars hadoop, List<HadoopJars> clientJars, Path run, ResultSheet sheet)
            throws IOException {
        Daemons servers = new Daemons(java, hadoop, hadoop, jarsIn(other.resolve("lib/server")));
        supported("release.servers", servers, List.of(ClassPath.client()), run, sheet)
                .run(clientJars);
        Daemons own = Daemons.of(java, hadoop, hadoop);
        supported("release.client", own, jarsIn(other.resolve("lib/client")), run, sheet)
                .run(clientJars);
    }

    /** Daemons that must stay stock. */
    private static void unsupported(
            JavaHome java, HadoopJars newest, List<HadoopJars> others, Path run, ResultSheet sheet) throws IOException {
        for (HadoopJars other : others) {
            Daemons daemons = Daemons.of(java, other, other);
            new UnsupportedCluster("unsupported." + other.version(), daemons, run.resolve(daemons.name()), null, sheet)
                    .run();
        }
        List<Path> newerJars = NewerJars.write(run.resolve("newer-jars"));
        Daemons newer = new Daemons(java, newest, newest, newerJars);
        new UnsupportedCluster("unsupported.jars", newer, run.resolve("newer"), newest.client(newerJars), sheet).run();
    }

    private static SupportedCluster supported(
            String name, Daemons daemons, List<Path> clientJars, Path run, ResultSheet sheet) {
        return new SupportedCluster(name, daemons, run.resolve(name), clientJars, sheet);
    }

    private List<Path> jarsIn(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw testRun.usage(
                    directory + " is not there: --release is the directory that a tarball of Terrace makes");
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toAbsolutePath)
                    .filter(file -> file.toString().endsWith(".jar"))
                    .toList();
        }
    }

    /** Each Hadoop on each JDK, then the first and the last in one cluster, either way round. */
    private static List<Daemons> supported(List<JavaHome> homes, List<HadoopJars> servers) {
        List<Daemons> all = new ArrayList<>();
        for (JavaHome java : homes) {
            servers.forEach(jars -> all.add(Daemons.of(java, jars, jars)));
        }
        HadoopJars first = servers.get(0);
        HadoopJars last = servers.get(servers.size() - 1);
        if (!first.equals(last)) {
            all.add(Daemons.of(homes.get(0), first, last));
            all.add(Daemons.of(homes.get(0), last, first));
        }
        return all;
    }

    private List<JavaHome> homes() throws IOException {
        List<JavaHome> homes = new ArrayList<>();
        for (Path jdk : jdks) {
            homes.add(JavaHome.at(jdk));
        }
        return homes.isEmpty() ? List.of(JavaHome.ofThisProcess()) : homes;
    }

    private List<HadoopJars> fetch(List<String> versions) throws IOException {
        List<HadoopJars> jars = new ArrayList<>();
        for (String version : versions) {
            if (!version.matches("\\d+\\.\\d+\\.\\d+[-.\\w]*")) {
                throw testRun.usage("'" + version + "' is no version of Hadoop: write it like 3.4.1");
            }
            testRun.out().println("jars of Hadoop " + version);
            testRun.out().flush();
            jars.add(HadoopJars.fetch(TestRun.root(), version));
        }
        return jars;
    }
}
