package io.terrace.bench.cluster;

import io.terrace.bench.cluster.DaemonSettings.Pair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What each daemon of a pair of NameNodes runs: its configuration, stock HDFS or Terrace, and the jars of which version. */
final class PairSoftware {
    private static final int FORMAT_SECONDS = 90;
    private static final String JOURNALNODE = "org.apache.hadoop.hdfs.qjournal.server.JournalNode";

    private final ClusterSpec spec;
    private final ClusterLayout layout;
    private final Pair settings;
    private final ClassPath classPath = ClassPath.ofThisProcess();
    private final Map<String, Boolean> withTerrace = new ConcurrentHashMap<>();

    /** Of daemons that run with the jars of another version. */
    private final Map<String, ClassPath> otherJars = new ConcurrentHashMap<>();

    PairSoftware(ClusterSpec spec, ClusterLayout layout, Pair settings) {
        this.spec = spec;
        this.layout = layout;
        this.settings = settings;
    }

    /** Writes the configuration of all daemons and of clients. */
    void configure() throws IOException {
        Files.createDirectories(layout.logs());
        ConfDir.write(layout.conf(), settings.client(), "client-log4j.properties");
        ConfDir.write(layout.confStock(), settings.stockClient(), "client-log4j.properties");
        for (String name : settings.daemons()) {
            configure(name, spec.terrace());
        }
    }

    /** Puts Terrace on a daemon, or takes its properties and jars out, from the next start of the daemon on. */
    void configure(String daemon, boolean terrace) throws IOException {
        ConfDir.write(confDir(daemon), settings.daemon(daemon, terrace), "daemon-log4j.properties");
        withTerrace.put(daemon, terrace);
    }

    /** @param version null for the version of this process */
    void useJars(String daemon, @Nullable ClassPath version) {
        if (version == null) {
            otherJars.remove(daemon);
        } else {
            otherJars.put(daemon, version);
        }
    }

    /**
     * What a daemon is started with: options of its JVM, main class and arguments.
     *
     * @param words the arguments; empty for none
     */
    List<String> command(String daemon, String words) {
        boolean ofData = daemon.startsWith("datanode");
        String mainClass =
                ofData ? LocalCluster.DATANODE : daemon.startsWith("namenode") ? LocalCluster.NAMENODE : JOURNALNODE;
        int number = ofData ? Integer.parseInt(daemon.substring(daemon.lastIndexOf('-') + 1)) : 0;
        List<String> command =
                new ArrayList<>(DaemonCommand.jvm(spec, number, confDir(daemon), classPathOf(daemon), mainClass));
        Stream.of(words.split(" ", -1)).filter(each -> !each.isEmpty()).forEach(command::add);
        return command;
    }

    /**
     * Runs a NameNode that does one thing and ends.
     *
     * @param words such as {@code -format}
     * @param answers to what the NameNode asks
     */
    void runNameNode(int number, List<String> words, String answers) throws IOException {
        String daemon = Pair.namenode(number);
        List<String> command = new ArrayList<>(List.of(LocalCluster.NAMENODE));
        command.addAll(words);
        String log = "namenode" + words.get(0);
        String unused = new JavaProcess.Home(layout.logs(), classPathOf(daemon).text())
                .run(
                        log,
                        confDir(daemon),
                        List.of("-Dterrace.log.file=" + layout.logs().resolve(log + ".daemon.log")),
                        command,
                        answers,
                        FORMAT_SECONDS);
    }

    private Path confDir(String daemon) {
        return layout.home(daemon).resolve("conf");
    }

    private ClassPath classPathOf(String daemon) {
        ClassPath stock = classPath.without(classPath.plugins());
        if (!withTerrace.getOrDefault(daemon, false)) {
            return stock;
        }
        ClassPath other = otherJars.get(daemon);
        return other == null ? classPath : stock.with(other.plugins());
    }
}
