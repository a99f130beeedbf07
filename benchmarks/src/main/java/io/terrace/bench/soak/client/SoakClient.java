package io.terrace.bench.soak.client;

import io.terrace.client.ClientMetrics;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/**
 * A process with one writer and some readers. It says what it counted once a second, and at once what is wrong; on standard
 * input it takes {@code PAUSE}, {@code VERIFY}, {@code RESUME}, after which nothing may fail until {@code FAULTS}, and ends with it.
 */
public final class SoakClient {
    private static final int READERS = 2;
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(150);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final DistributedFileSystem fs;
    private final Report report;
    private final Tally tally = new Tally();
    private final QuietTime quiet = new QuietTime();
    private final Path journals;
    private final long seed;
    private final SoakWriter writer;
    private final List<SoakReader> readers = new ArrayList<>();

    /** Workers hold it shared for each step; whoever holds it alone sees none of them. */
    private final ReentrantReadWriteLock steps = new ReentrantReadWriteLock(true);

    private SoakClient(DistributedFileSystem fs, Report report, Path journals, long seed, String name)
            throws IOException {
        this.fs = fs;
        this.report = report;
        this.journals = journals;
        this.seed = seed;
        Path own = FullCheck.journal(journals, name);
        // Another process of this name made other draws.
        long incarnation = Files.exists(own) ? Files.size(own) : 0;
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + name.hashCode() * 31L + incarnation);
        this.writer = new SoakWriter(
                fs,
                journals,
                Journal.toWrite(own),
                FullCheck.dir(name),
                FullCheck.content(seed, name),
                random.split(),
                tally,
                report,
                quiet);
        for (int i = 0; i < READERS; i++) {
            readers.add(new SoakReader(fs, FullCheck.writers(journals, seed), random.split(), tally, report, quiet));
        }
    }

    /** @param arguments seed, name, directory of journals, and properties {@code key=value} */
    public static void main(String[] arguments) throws IOException {
        PrintStream lines = System.out;
        System.setOut(System.err);
        Configuration conf = new HdfsConfiguration();
        for (int i = 3; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            conf.set(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
        SoakClient client = new SoakClient(
                fs, new Report(lines), Path.of(arguments[2]), Long.parseLong(arguments[0]), arguments[1]);
        client.start();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                client.take(line);
            }
        }
        // The parent is gone, or has seen enough: what threads do now does not matter.
        Runtime.getRuntime().halt(0);
    }

    private void start() {
        DaemonThreads.make("soak-writer", this::write).start();
        for (SoakReader reader : readers) {
            DaemonThreads.make("soak-reader", () -> read(reader)).start();
        }
        DaemonThreads.make("soak-tally", this::tell).start();
    }

    private void write() {
        boolean begun = false;
        while (true) {
            steps.readLock().lock();
            try {
                if (!begun) {
                    writer.begin();
                    begun = true;
                }
                writer.step();
            } catch (IOException e) {
                LockSupport.parkNanos(LOOK_NS);
            } catch (RuntimeException | Error e) {
                broken(e);
            } finally {
                steps.readLock().unlock();
            }
        }
    }

    private void read(SoakReader reader) {
        while (true) {
            steps.readLock().lock();
            try {
                reader.step();
            } catch (IOException | RuntimeException | Error e) {
                broken(e);
            } finally {
                steps.readLock().unlock();
            }
        }
    }

    /** No fault of the cluster may show as anything but an IOException. */
    private void broken(Throwable e) {
        e.printStackTrace();
        report.say("BROKEN " + e.toString().replace('\n', ' '));
        LockSupport.parkNanos(SECOND_NS);
    }

    private void tell() {
        while (true) {
            LockSupport.parkNanos(SECOND_NS);
            report.say("TALLY " + tally.text() + " bytes.memory.shm="
                    + ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) + " bytes.memory.remote="
                    + ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES) + " bytes.written.channel="
                    + ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) + " closes.early="
                    + ClientMetrics.value(Metric.CLIENT_WRITE_CLOSED_EARLY));
        }
    }

    /** What breaks the check must not look like a client that hangs. */
    private FullCheck.Checked verified() {
        try {
            return new FullCheck(fs, journals, report.out()).run(seed);
        } catch (IOException | RuntimeException | Error e) {
            broken(e);
            return new FullCheck.Checked(0, 0);
        }
    }

    private void take(String line) throws IOException {
        switch (line) {
            case "PAUSE" -> {
                steps.writeLock().lock();
                long startNs = System.nanoTime();
                boolean settled = writer.settle();
                while (!settled && System.nanoTime() - startNs < SETTLE_NS) {
                    LockSupport.parkNanos(LOOK_NS);
                    settled = writer.settle();
                }
                for (SoakReader reader : readers) {
                    reader.rest();
                }
                report.say(settled ? "PAUSED" : "STUCK");
            }
            case "VERIFY" -> report.say(verified().line());
            case "RESUME" -> {
                quiet.begin();
                steps.writeLock().unlock();
            }
            case "FAULTS" -> {
                quiet.end();
                report.say("FAULTS");
            }
            default -> report.say("BROKEN unknown command " + line);
        }
    }
}
