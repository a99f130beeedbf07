package io.terrace.bench.writefaults;

import io.terrace.bench.faults.SystemCommand;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.faults.WrittenReplicas;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.writefaults.WriteFaultPlan.Injection;
import io.terrace.common.DaemonThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** One seed: a file is written under faults, everything is mended, and the file and the DataNodes are looked at. */
final class FaultRun {
    /** No fault lasts longer than 16 s, and Hadoop notices each within 20 s. */
    private static final int WRITER_SECONDS = 180;

    private static final int RECOVERY_SECONDS = 150;
    private static final int QUIET_SECONDS = 90;

    /** The NameNode asks for what it knows to be deleted with heartbeats, every 3 s by default. */
    private static final int DELETION_SECONDS = 15;

    private static final int DUMP_SECONDS = 2;

    private final FaultCluster faults;
    private final WriteFaultPlan plan;
    private final AcknowledgedBytes acknowledged;
    private final Path path;
    private final List<Integer> pipeline = new ArrayList<>();
    private final WriterEnd end = new WriterEnd();
    private String failure = "";
    private boolean silent;
    private Result.Counts counts = new Result.Counts(0, 0, 0);

    /**
     * What became of a seed.
     *
     * @param violation what must not be; empty if all is well
     * @param failure the exception with which the writer failed; empty if it did not
     */
    record Result(WriteFaultPlan plan, String violation, String failure, long acknowledgedBytes, Counts counts) {
        /**
         * @param injected faults made
         * @param channelBytes written over the channel and acknowledged
         * @param recoveries of pipelines on the channel
         */
        record Counts(int injected, long channelBytes, long recoveries) {}
    }

    FaultRun(FaultCluster faults, WriteFaultPlan plan) {
        this.faults = faults;
        this.plan = plan;
        this.acknowledged = new AcknowledgedBytes(plan.seed());
        this.path = new Path("/write-faults/" + plan.seed());
    }

    /** @param log takes what the writer prints besides */
    Result run(java.nio.file.Path log) throws IOException {
        String violation = write(log);
        faults.mend();
        if (violation.isEmpty()) {
            violation = check();
        }
        return new Result(plan, violation, failure, acknowledged.acknowledgedBytes(), counts);
    }

    private String write(java.nio.file.Path log) throws IOException {
        Process writer = startWriter(log);
        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("watch"));
        try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8));
                Injector injector = new Injector(faults, writer, path)) {
            var unused = watch.schedule(() -> endSilent(writer), WRITER_SECONDS, TimeUnit.SECONDS);
            String violation = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String found = take(line, injector, writer);
                violation = violation.isEmpty() ? found : violation;
            }
            if (silent) {
                return "the writer had not ended after " + WRITER_SECONDS + " s";
            }
            return violation.isEmpty() ? end.fault() : violation;
        } finally {
            watch.shutdownNow();
            writer.destroyForcibly();
        }
    }

    /** With its stacks in the log. */
    private Void endSilent(Process writer) throws IOException {
        silent = true;
        SystemCommand.signal(writer.toHandle(), "QUIT");
        Waits.pause(TimeUnit.SECONDS.toMillis(DUMP_SECONDS));
        SystemCommand.signal(writer.toHandle(), "KILL");
        return null;
    }

    private Process startWriter(java.nio.file.Path log) throws IOException {
        List<String> words = List.of(
                java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java")
                        .toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                faults.cluster().layout().confStock() + ":" + System.getProperty("java.class.path"),
                FaultWriter.class.getName(),
                Long.toString(plan.seed()),
                path.toString(),
                Integer.toString(FaultCluster.CLIENT_OFFSET),
                faults.cluster().layout().channel().toString());
        return new ProcessBuilder(words).redirectError(log.toFile()).start();
    }

    /** Takes in what the writer says, and returns what is wrong with it. */
    private String take(String line, Injector injector, Process writer) throws IOException {
        String[] words = line.split(" ", -1);
        end.said(words[0]);
        switch (words[0]) {
            case "WRITE" -> acknowledged.writing(Long.parseLong(words[1]));
            case "FLUSHED" -> acknowledged.flushed(Long.parseLong(words[1]));
            case "CLOSED" -> acknowledged.closed(Long.parseLong(words[1]));
            case "PIPELINE" -> {
                pipeline.clear();
                Stream.of(words)
                        .skip(1)
                        .filter(word -> !word.isEmpty()) // The stream may have no DataNode at that moment.
                        .map(Integer::parseInt)
                        .map(faults::numberOf)
                        .forEach(pipeline::add);
            }
            case "STAGE" -> reached(Stage.valueOf(words[1]), injector, writer);
            case "FAILED" -> {
                failure = line.substring("FAILED ".length());
                if (plan.mustSucceed()) {
                    return "the writer failed, though it need not: " + failure;
                }
            }
            case "BROKEN" -> {
                return "the writer met what is no IOException: " + line.substring("BROKEN ".length());
            }
            case "LEFT" -> {
                if (!line.equals("LEFT 0 0")) {
                    return "the writer has bytes retained and threads of streams left: " + line;
                }
            }
            case "OVER_CHANNEL" -> {
                counts = new Result.Counts(counts.injected(), Long.parseLong(words[1]), Long.parseLong(words[2]));
                if (plan.first().fault() == Fault.NONE && counts.channelBytes() != plan.fileBytes()) {
                    return "only " + words[1] + " bytes were written over the channel, without a fault";
                }
            }
            default -> {}
        }
        return "";
    }

    private void reached(Stage stage, Injector injector, Process writer) throws IOException {
        for (Injection injection : plan.injections()) {
            if (injection.stage() == stage) {
                if (injection.fault() == Fault.KILL_CLIENT) {
                    end.killed();
                }
                if (injection.fault() != Fault.FULL_VOLUME || faults.volumes().canBeFull()) {
                    injector.inject(injection, pipeline);
                    int made = injection.fault() == Fault.NONE ? 0 : 1;
                    counts = new Result.Counts(counts.injected() + made, 0, 0);
                }
                if (injection.waits()) {
                    goOn(writer);
                }
            }
        }
    }

    private static void goOn(Process writer) {
        try {
            OutputStream in = writer.getOutputStream();
            in.write('\n');
            in.flush();
        } catch (IOException killed) {
            // By this fault or the one before; one that lives and is not told would be found silent.
            return;
        }
    }

    private String check() throws IOException {
        if (!faults.fs().exists(path)) {
            return acknowledged.mustExist() ? "the file is gone" : left().orElse("");
        }
        if (acknowledged.isClosed() && !faults.fs().isFileClosed(path)) {
            return "the writer was told that the file is closed, and it is not";
        }
        Optional<String> fault = Waits.untilRight(RECOVERY_SECONDS, this::recovery);
        fault = fault.isPresent() ? fault : content();
        fault = fault.isPresent() ? fault : Waits.untilRight(QUIET_SECONDS, this::replicas);
        fault = fault.isPresent() ? fault : left();
        if (fault.isEmpty() && !faults.fs().delete(path, false)) {
            return "the file is gone";
        }
        return fault.orElse("");
    }

    /** What the writing has left on the DataNodes, whether or not there is a file. */
    private Optional<String> left() throws IOException {
        Optional<String> fault = unfinished();
        Leftovers leftovers = new Leftovers(faults.cluster(), faults.volumes());
        return fault.isPresent() ? fault : Waits.untilRight(QUIET_SECONDS, leftovers::fault);
    }

    private Optional<String> recovery() throws IOException {
        return faults.fs().isFileClosed(path) || faults.fs().recoverLease(path)
                ? Optional.empty()
                : Optional.of("the lease was not recovered");
    }

    private Optional<String> content() throws IOException {
        try (FSDataInputStream in = faults.fs().open(path)) {
            return acknowledged.faultOf(in);
        } catch (IOException e) {
            return Optional.of("the file cannot be read: " + e);
        }
    }

    private Optional<String> replicas() throws IOException {
        LocatedBlocks located = faults.fs().getClient().getLocatedBlocks(path.toString(), 0, Long.MAX_VALUE);
        WrittenReplicas written = written();
        SeededContent content = new SeededContent(plan.seed());
        return written.fault(
                        located.getLocatedBlocks(),
                        plan.replication(),
                        (position, target) -> content.fill(0, 0, position, target, target.length),
                        written.files())
                .map(WrittenReplicas.Fault::what);
    }

    /**
     * With stock too, the NameNode forgets a replica that was not finalised when its block is abandoned, removed by a recovery that
     * found no bytes, or recovered from others. It learns of it again by the next full block report, which comes every 6 hours.
     * What is left after one stays until the DataNode is restarted.
     */
    private Optional<String> unfinished() throws IOException {
        WrittenReplicas written = written();
        if (Waits.untilRight(DELETION_SECONDS, written::unfinished).isEmpty()) {
            return Optional.empty();
        }
        faults.sendBlockReports();
        return Waits.untilRight(QUIET_SECONDS, written::unfinished);
    }

    private WrittenReplicas written() {
        return new WrittenReplicas(faults.volumes().all());
    }

    /** Keeps the logs of all daemons as they are now. */
    void keepLogs(java.nio.file.Path target) throws IOException {
        Files.createDirectories(target);
        try (Stream<java.nio.file.Path> logs =
                Files.list(faults.cluster().layout().logs())) {
            for (java.nio.file.Path log : logs.toList()) {
                Files.copy(log, target.resolve(log.getFileName()), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
