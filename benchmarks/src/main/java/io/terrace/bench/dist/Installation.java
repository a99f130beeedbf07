package io.terrace.bench.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.guides.GuidePage;
import io.terrace.bench.guides.Shell;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;

/** What was unpacked, beside a stock Hadoop, and the commands of both. Used by one thread. */
final class Installation {
    private static final Path TMPFS = Path.of("/dev/shm");
    private static final String FILE = "/dist-test/file";
    private static final String OTHER_VERSION = "0.0.0-other";

    private final Path root;
    private final Path downloads;
    private final Path prefix;
    private final Path memory;
    private final StockHadoop hadoop;
    private final Shell shell;
    private final Path data;
    private final String version;

    /**
     * @param root the source tree, for its guides
     * @param run directory of this run
     * @param downloads with the tarball and its checksum
     */
    Installation(Path root, Path run, Path downloads, StockHadoop hadoop) throws IOException {
        this.root = root;
        this.downloads = downloads;
        this.hadoop = hadoop;
        prefix = run.resolve("opt");
        memory = (Files.isWritable(TMPFS) ? TMPFS : run).resolve(run.getFileName());
        data = run.resolve("bytes");
        version = DistTest.tarballIn(downloads).getFileName().toString().replaceAll("^terrace-|\\.tar\\.gz$", "");
        shell = new Shell(downloads, run.resolve("commands.log"))
                .with("HOME", Files.createDirectory(run.resolve("home")))
                .with("TMPDIR", Files.createDirectory(run.resolve("tmp")))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("HADOOP_HOME", hadoop.home())
                .with("HADOOP_CONF_DIR", hadoop.conf())
                .with("PREFIX", prefix)
                .with("MEMORY", memory)
                .with("OWNER", System.getProperty("user.name"))
                .with("CHANNEL", run.resolve("channel"));
    }

    StockHadoop hadoop() {
        return hadoop;
    }

    /** Where the tarball was unpacked that is in use, by the link that applications name. */
    Path home() throws IOException {
        return prefix.resolve("terrace").toRealPath();
    }

    /** Makes a copy of the tarball that ends early. */
    void truncate() throws IOException {
        Path whole = DistTest.tarballIn(downloads);
        Path cut = Files.createDirectory(downloads.resolve("truncated")).resolve(whole.getFileName());
        Files.copy(whole, cut);
        try (FileChannel file = FileChannel.open(cut, StandardOpenOption.WRITE)) {
            file.truncate(Files.size(whole) / 2);
        }
        Files.copy(Path.of(whole + ".sha256"), Path.of(cut + ".sha256"));
    }

    boolean refused() throws IOException, InterruptedException {
        return !shell.run("cd truncated; sha256sum -c *.sha256");
    }

    void startStock() throws IOException, InterruptedException {
        if (!shell.run(hdfs("namenode -format -nonInteractive")
                + hdfs("--daemon start namenode")
                + hdfs("--daemon start datanode")
                + ready())) {
            throw new IOException("stock Hadoop does not start: see " + shell.log());
        }
    }

    /** Whether the configuration has what it had before and conf/minimal-site.xml, once, when these commands ran again. */
    boolean configured() throws IOException, InterruptedException {
        String again = page("install").scripts().stream()
                .filter(script -> script.contains("minimal-site.xml"))
                .findFirst()
                .orElseThrow();
        return shell.run("TERRACE_HOME=" + home() + "\n" + again
                + "diff <(grep -o '<name>[^<]*' hdfs-site.xml.before-terrace \"$TERRACE_HOME/conf/minimal-site.xml\" -h)"
                + " <(grep -o '<name>[^<]*' hdfs-site.xml)");
    }

    boolean install() throws IOException, InterruptedException {
        return shell.run(forVersion(page("install").script(), version));
    }

    /** Whether another release goes beside this one and takes its place; its tarball is this one's by another name. */
    boolean upgrade() throws IOException, InterruptedException {
        String other = "terrace-" + OTHER_VERSION;
        return shell.run("cp -r " + home() + " " + other + "\ntar -czf " + other + ".tar.gz " + other + "\nsha256sum "
                        + other + ".tar.gz >" + other + ".tar.gz.sha256\nrm -r " + other)
                && shell.run(forVersion(upgradeOrRemove(true), OTHER_VERSION));
    }

    /** Whether terrace-host, as it was unpacked, checks this host and says what it would do; what it finds is the host's. */
    boolean checksHost() throws IOException, InterruptedException {
        String terraceHost = home().resolve("bin/terrace-host") + " ";
        String options = " --conf \"$HADOOP_CONF_DIR\" --user \"$(id -un)\" --unit none";
        String found = shell.output("code=0; " + terraceHost + "check --json" + options + " || code=$?; ((code <= 1))");
        return new ObjectMapper().readTree(found).path("findings").isArray()
                && shell.run("code=0; " + terraceHost + "prepare --dry-run" + options + " || code=$?; ((code <= 1))");
    }

    /** Commands that fail where the configuration names Terrace's block placement and audit logger, which they load too. */
    long failedServerCommands() throws IOException, InterruptedException {
        String conf = hadoop.conf() + "-server-classes";
        shell.run("cp -r \"$HADOOP_CONF_DIR\" " + conf + "\nsed -i 's#</configuration>#" + StockHadoop.SERVER_CLASSES
                + "&#' " + conf + "/hdfs-site.xml");
        long failed = 0;
        for (String command : List.of("secondarynamenode -geteditsize", "balancer", "mover")) {
            failed += shell.run("export HADOOP_CONF_DIR=" + conf + "\n" + hdfs(command)) ? 0 : 1;
        }
        return failed;
    }

    boolean remove() throws IOException, InterruptedException {
        return shell.run(upgradeOrRemove(false) + ready() + hdfs("dfs -cat " + FILE + " | cmp - " + data));
    }

    /** @param setting of the environment for the daemons, or nothing */
    void restart(String setting) throws IOException, InterruptedException {
        for (String daemon : List.of("datanode", "namenode")) {
            if (!shell.run(hdfs("--daemon stop " + daemon) + setting + " " + hdfs("--daemon start " + daemon))) {
                throw new IOException(daemon + " does not start: see " + shell.log());
            }
        }
        if (!shell.run(ready())) {
            throw new IOException("the daemons are not ready: see " + shell.log());
        }
    }

    /** Daemons that say this in an ERROR, waiting until both do or a minute is over. */
    long errors(String words) throws IOException, InterruptedException {
        shell.run("for i in $(seq 60); do grep -l '" + words + "' " + hadoop.log("namenode") + " "
                + hadoop.log("datanode") + " | wc -l | grep -q 2 && break; sleep 1; done");
        long found = 0;
        for (String daemon : List.of("namenode", "datanode")) {
            found += Files.readAllLines(hadoop.log(daemon)).stream()
                    .filter(line -> line.contains("ERROR") && line.contains(words))
                    .limit(1)
                    .count();
        }
        return found;
    }

    boolean saysThatJarIsMissing() throws IOException, InterruptedException {
        return shell.run(
                hdfs("--daemon stop datanode") + hdfs("--daemon start datanode 2>&1 | grep 'Terrace has no jar in'"));
    }

    /** Whether placementctl serves where java is on the PATH and JAVA_HOME is unset, which Hadoop's scripts refuse. */
    boolean runsWithoutJavaHome() throws IOException, InterruptedException {
        return shell.run("PATH=$JAVA_HOME/bin:$PATH\nunset JAVA_HOME\n" + ctl("--version"));
    }

    /** Whether placementctl says what java says where that does not run. */
    boolean saysWhyJavaDoesNotRun() throws IOException, InterruptedException {
        return shell.run("! said=$(JAVA_TOOL_OPTIONS=-Xnone " + home() + "/bin/placementctl --version 2>&1)\n"
                + "grep 'does not run' <<<\"$said\"\n");
    }

    /** Whether doctor finds that Hadoop's clients have no jar, though it has one itself. */
    boolean saysThatClientsLackTheClass() throws IOException, InterruptedException {
        return shell.run("{ " + home() + "/bin/placementctl doctor --json || true; } | grep missing-class");
    }

    /** Puts a file into memory, if it is not there. */
    boolean pin() throws IOException, InterruptedException {
        return shell.run("test -f " + data + " || head -c 32M /dev/urandom >" + data + "\n"
                + hdfs("dfs -mkdir -p " + Path.of(FILE).getParent())
                + "\"$HADOOP_HOME\"/bin/hdfs dfs -test -e " + FILE + " || " + hdfs("dfs -put " + data + " " + FILE)
                + "until " + ctl("tiers | grep memory") + "do sleep 1; done\n"
                + ctl("pin " + FILE)
                + "until " + ctl("explain " + FILE + " | grep 'IN MEMORY .*pinned'") + "do sleep 1; done\n");
    }

    /** Whether the file's bytes are those that were written. */
    boolean reads(String option) throws IOException, InterruptedException {
        return shell.run(hdfs("dfs " + option + " -cat " + FILE + " | cmp - " + data));
    }

    /** Share of all bytes read that came from memory, of what the active service knows. */
    double memoryShare() throws IOException, InterruptedException {
        long all = 0;
        long fromMemory = 0;
        for (int tries = 0; tries < 30 && all < 2 * Files.size(data); tries++) {
            JsonNode figures = new ObjectMapper()
                    .readTree(shell.output("sleep 1\n" + ctl("status --json")))
                    .at("/services/0/figures");
            all = figures.path("placement.read.bytes").asLong();
            fromMemory = figures.path("placement.read.memory.bytes").asLong();
        }
        return all == 0 ? 0 : (double) fromMemory / all;
    }

    void stop() throws IOException, InterruptedException {
        shell.run(hdfs("--daemon stop datanode") + hdfs("--daemon stop namenode") + "rm -rf " + memory);
    }

    private GuidePage page(String name) throws IOException {
        return GuidePage.read(root.resolve("docs/guides/" + name + ".md"));
    }

    /** The commands of one half of the page. */
    private String upgradeOrRemove(boolean upgrade) throws IOException {
        return page("upgrade-and-remove").scripts().stream()
                .filter(script -> script.contains("tarball") == upgrade)
                .collect(Collectors.joining("\n"));
    }

    private static String forVersion(String script, String version) {
        return script.replace("terrace-VERSION", "terrace-" + version);
    }

    private static String ready() {
        return "\nuntil " + hdfs("dfsadmin -safemode wait") + "do sleep 1; done\n" + "until "
                + hdfs("dfsadmin -report -live | grep -q '^Live datanodes (1)'") + "do sleep 1; done\n";
    }

    private static String hdfs(String arguments) {
        return "\"$HADOOP_HOME\"/bin/hdfs " + arguments + "\n";
    }

    private String ctl(String arguments) throws IOException {
        return home().resolve("bin/placementctl") + " " + arguments + "\n";
    }
}
