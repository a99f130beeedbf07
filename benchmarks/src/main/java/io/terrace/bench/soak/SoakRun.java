package io.terrace.bench.soak;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.faults.FullBlockReports;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.faults.WrittenReplicas;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.bench.soak.client.DamagedBlocks;
import io.terrace.bench.soak.client.FullCheck;
import io.terrace.bench.soak.client.LastBlock;
import io.terrace.bench.soak.client.ReplicaCheck;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** One run: rounds of faults, and after each a check of everything. */
final class SoakRun {
    private static final int CLIENTS = 2;

    /** A run of ten minutes has more rounds than {@link Growth} needs, though most of its time goes to checks. */
    private static final int ROUNDS = 18;

    private static final long LEAST_ROUND_NS = TimeUnit.SECONDS.toNanos(15);
    private static final long MOST_ROUND_NS = TimeUnit.SECONDS.toNanos(60);

    private static final int PAUSE_SECONDS = 300;
    private static final int CHECK_SECONDS = 600;
    private static final int ANSWER_SECONDS = 60;
    private static final int UNFINISHED_SECONDS = 30;
    private static final int PAIRS_SECONDS = 60;
    private static final long QUIET_MS = 5_000;
    private static final Path TMPFS = Path.of("/dev/shm");

    private final SoakOptions options;
    private final Path dir;
    private final ResultSheet sheet;
    private final Flips flips = new Flips();
    private final DamagedRecoveries damaged;
    private final Findings findings;

    /** Its directory; without it nobody reads short-circuit, and nothing is mapped. */
    private final Optional<Path> libhadoop;

    private final Growth growth = new Growth();
    private final RunLogs logs;
    private final List<ClientProcess> clients = new ArrayList<>();

    SoakRun(SoakOptions options, Path dir, PrintWriter out, ResultSheet sheet) throws IOException {
        this.options = options;
        this.dir = dir;
        this.sheet = sheet;
        this.libhadoop = new ClusterLayout(dir.resolve("cluster")).canReadShortCircuit()
                ? ShortCircuit.libhadoop(TestRun.root(), dir.resolve("libhadoop"))
                : Optional.empty();
        Path daemonLogs = new ClusterLayout(dir.resolve("cluster")).logs();
        this.damaged = new DamagedRecoveries(flips, daemonLogs);
        this.findings = new Findings(
                out,
                flips,
                process -> options.readsMemoryUnverified(process, libhadoop.isPresent()),
                this::recoveredDamaged,
                this::isStaleCopy);
        this.logs = new RunLogs(daemonLogs, dir, flips::copied, findings::print);
    }

    private boolean isStaleCopy(long block) {
        return logs.staleCopies().isOf(block);
    }

    /** Tells clients too, so that they do not wait for such a block. */
    private boolean recoveredDamaged(LastBlock block) {
        try {
            boolean explained = damaged.explain(block);
            if (explained) {
                DamagedBlocks.add(journals(), block.id());
            }
            return explained;
        } catch (IOException e) {
            sheet.progress("not judged whether block " + block.id() + " was damaged before a recovery: " + e);
            return false;
        }
    }

    void run() throws IOException {
        SoakPlan plan = new SoakPlan(options.seed(), SoakCluster.DATANODES, CLIENTS, options.pair());
        sheet.section("seed " + options.seed() + ", "
                + (options.terrace() ? "Terrace, " + options.provider() : "stock HDFS") + ", "
                + (options.pair() ? "two NameNodes, " : "")
                + options.length().toMinutes() + " minutes; never killed: datanode-" + plan.survivingDatanode() + ", c"
                + plan.survivingClient() + survivingNameNode(plan));
        Path tmpfs = (Files.isWritable(TMPFS) ? TMPFS : dir)
                .resolve("terrace-soak-" + Integer.toHexString(dir.toString().hashCode()));
        long startNs = System.nanoTime();
        try (SoakCluster soak = new SoakCluster(dir.resolve("cluster"), tmpfs, options, libhadoop)) {
            try {
                if (options.terrace()) {
                    FaultInjector.apply(soak, options.seed());
                }
                startClients(soak);
                EndedProcesses ended = new EndedProcesses(soak, findings);
                rounds(soak, plan, ended);
                ended.note(clients);
                logs.read();
            } finally {
                for (ClientProcess client : clients) {
                    client.close();
                }
                keepLogs(soak);
            }
        }
        figures(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs));
    }

    private String survivingNameNode(SoakPlan plan) {
        if (options.pair()) {
            return ", namenode-" + plan.survivingNameNode();
        }
        return plan.namenodeSurvives() ? ", namenode" : "";
    }

    private Path journals() {
        return dir.resolve("journals");
    }

    private void startClients(SoakCluster soak) throws IOException {
        Files.createDirectories(journals());
        for (int i = 1; i <= CLIENTS; i++) {
            // Each client reads what the others write.
            Files.createFile(journals().resolve("c" + i + ".journal"));
        }
        if (libhadoop.isEmpty()) {
            sheet.progress("libhadoop, or a directory for its sockets, is not there: zero-copy reads are not mapped");
        } else if (options.terrace()) {
            ShortCircuit.pin(
                    soak.cluster(),
                    IntStream.rangeClosed(1, CLIENTS)
                            .mapToObj(i -> FullCheck.dir("c" + i))
                            .toList());
        }
        for (int i = 1; i <= CLIENTS; i++) {
            String name = "c" + i;
            List<String> words = ClientProcess.words(
                    soak.cluster().layout().confStock(),
                    soak.readsShortCircuit(name) ? libhadoop : Optional.empty(),
                    options.seed(),
                    name,
                    journals(),
                    soak.clientProperties(name));
            clients.add(new ClientProcess(name, words, dir.resolve(name + ".log"), findings));
        }
    }

    private void rounds(SoakCluster soak, SoakPlan plan, EndedProcesses ended) throws IOException {
        FaultInjector injector = new FaultInjector(
                soak, clients, flips, findings, ended, options.terrace(), plan.survivingNameNode(), journals());
        Samples samples = new Samples(soak, options.terrace(), growth, logs.moves(), findings, sheet);
        Configuration conf = soak.cluster().confStock();
        long lengthNs = options.length().toNanos();
        long roundNs = Math.max(LEAST_ROUND_NS, Math.min(MOST_ROUND_NS, lengthNs / ROUNDS));
        int leastRounds = lengthNs >= SoakTargets.JUDGED_NS ? Growth.LEAST_SAMPLES : 1;
        long startNs = System.nanoTime();
        try (DistributedFileSystem stock = (DistributedFileSystem)
                        FileSystem.newInstance(URI.create(soak.cluster().fileSystemUri()), conf);
                PrintStream lines = new PrintStream(new Lines(findings), true, StandardCharsets.UTF_8)) {
            for (int round = 1; round <= leastRounds || System.nanoTime() - startNs < lengthNs; round++) {
                RoundTimes times = new RoundTimes(System.nanoTime());
                injector.run(plan, roundNs);
                times.ended("faults", System.nanoTime());
                mend(soak, injector, ended);
                times.ended("mend", System.nanoTime());
                askAll("PAUSE", PAUSE_SECONDS);
                times.ended("settle", System.nanoTime());
                logs.read();
                for (String answer : askAll("VERIFY", CHECK_SECONDS)) {
                    count(FullCheck.Checked.of(answer));
                }
                count(new FullCheck(stock, journals(), lines).run(options.seed()));
                times.ended("read", System.nanoTime());
                checkReplicas(soak, stock);
                times.ended("replicas", System.nanoTime());
                samples.take(clients);
                Files.write(dir.resolve("growth.txt"), growth.lines());
                resume();
                findings.count("rounds", 1);
                sheet.progress(String.format(
                        "round %d, %d s: %d kills and pauses, %d faults, %d MB verified, wrong %d, lost %d, broken %d (%s)",
                        round,
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs),
                        findings.value("kills"),
                        findings.value("faults"),
                        findings.value("bytes.verified") >> 20,
                        findings.value("bytes.wrong"),
                        findings.value("bytes.lost"),
                        findings.value("broken") + findings.value("stuck"),
                        times.text()));
            }
        }
    }

    /** Goes on for some seconds without faults, in which nothing may fail: all is mended, and no stream is an old one. */
    private void resume() throws IOException {
        for (ClientProcess client : clients) {
            client.say("RESUME");
        }
        Waits.pause(QUIET_MS);
        askAll("FAULTS", ANSWER_SECONDS);
    }

    /** HDFS forgets replicas of blocks that were abandoned or recovered from others until the next full report. */
    private void checkReplicas(SoakCluster soak, DistributedFileSystem stock) throws IOException {
        try {
            FullBlockReports.send(soak.cluster(), soak.cluster().confStock());
        } catch (IOException e) {
            // A DataNode may have ended meanwhile, which the next round tells.
            sheet.progress("full block reports: " + e);
        }
        WrittenReplicas replicas = new WrittenReplicas(soak.volumes().all(), flips);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PrintStream lines = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            findings.count("replicas.files", new ReplicaCheck(stock, journals(), replicas, lines).run(options.seed()));
        }
        // A DataNode may have begun to refuse copies meanwhile.
        logs.read();
        said.toString(StandardCharsets.UTF_8).lines().forEach(line -> findings.take(SoakOptions.CHECK, line));
        Optional<String> unfinished = Waits.untilRight(
                UNFINISHED_SECONDS,
                () -> replicas.unfinished(file -> logs.staleCopies().isOne(soak.datanodeOf(file), file)));
        if (unfinished.isPresent()) {
            findings.count("replicas.unfinished", 1);
            findings.print(SoakOptions.CHECK, unfinished.get());
        }
        VolumePairs pairs = new VolumePairs(soak.volumes().all(), file -> logs.failedCopies()
                .isOne(soak.datanodeOf(file), soak.transferPortOf(file), file));
        if (Waits.untilRight(PAIRS_SECONDS, pairs::look).isPresent()) {
            findings.count("replicas.unpaired", pairs.left().size());
            pairs.left().forEach(left -> findings.print(SoakOptions.CHECK, left));
        }
    }

    private void count(FullCheck.Checked checked) {
        findings.count("bytes.verified", checked.bytes());
        findings.count("check.retries", checked.retries());
    }

    private void mend(SoakCluster soak, FaultInjector injector, EndedProcesses ended) throws IOException {
        // All faults have ended, and with them the restarts of what they killed.
        for (ClientProcess client : clients) {
            client.signal("CONT");
            ended.revive(client);
        }
        for (Daemon daemon : soak.cluster().daemons()) {
            ended.revive(daemon);
        }
        soak.mend();
        if (options.terrace()) {
            injector.turn(true);
            Optional<String> missing = new ServingDataNodes(soak).await();
            if (missing.isPresent()) {
                findings.count("datanodes.unserving", 1);
                findings.print("mend", missing.get());
            }
        }
    }

    /** Asks all clients at once; returns their answers. */
    private List<String> askAll(String command, int seconds) throws IOException {
        for (ClientProcess client : clients) {
            client.ask(command);
        }
        List<String> answers = new ArrayList<>();
        for (ClientProcess client : clients) {
            answers.add(client.answer(command, seconds));
        }
        return answers;
    }

    /** The cluster's directory goes with the cluster. */
    private void keepLogs(SoakCluster soak) throws IOException {
        Path target = Files.createDirectories(dir.resolve("logs"));
        try (Stream<Path> logs = Files.list(soak.cluster().layout().logs())) {
            for (Path log : logs.toList()) {
                Files.copy(log, target.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private void figures(long seconds) {
        Map<String, Long> all = new TreeMap<>(findings.figures());
        all.putAll(logs.figures());
        all.put("ops.written", all.getOrDefault("ops.create", 0L) + all.getOrDefault("ops.append", 0L));
        sheet.section("figures");
        sheet.note("seed", options.seed(), "");
        sheet.note("seconds", seconds, "s");
        List<String> leaks = growth.leaks();
        leaks.forEach(leak -> sheet.progress("grows: " + leak));
        growth.unjudged()
                .forEach((process, samples) ->
                        sheet.progress("not judged for leaks: " + process + ", whose processes had " + samples
                                + " checks at most of the " + Growth.LEAST_SAMPLES + " that are needed"));
        all.put("leaks", (long) leaks.size());
        all.put("leaks.judged", growth.judged(""));
        all.put(SoakTargets.JUDGED_DATANODES, growth.judged("datanode"));
        all.put(SoakTargets.JUDGED_CLIENTS, growth.judged("c"));
        new SoakTargets(options, libhadoop.isPresent()).judge(sheet, all);
    }

    /** Takes lines as a process would send them. */
    private static final class Lines extends OutputStream {
        private final Findings findings;
        private final StringBuilder line = new StringBuilder();

        Lines(Findings findings) {
            this.findings = findings;
        }

        @Override
        public void write(int b) {
            if (b == '\n') {
                findings.take(SoakOptions.CHECK, line.toString());
                line.setLength(0);
            } else {
                line.append((char) (b & 0xff));
            }
        }
    }
}
