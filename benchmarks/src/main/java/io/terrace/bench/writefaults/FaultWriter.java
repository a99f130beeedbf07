package io.terrace.bench.writefaults;

import io.terrace.bench.load.SeededContent;
import io.terrace.bench.writefaults.WriteFaultPlan.Injection;
import io.terrace.bench.writefaults.WriteFaultPlan.Kind;
import io.terrace.bench.writefaults.WriteFaultPlan.Step;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * A process that writes one file as a plan says, and tells its parent by lines on standard output what it is about to
 * do and what has returned. At a stage of the plan it says so, and waits for a line on standard input if the plan says so.
 */
public final class FaultWriter implements StagedNameNode.Calls {
    private static final int END_SECONDS = 20;
    /** A DataNode that stands still is given up after its timeouts, and its copy is made anew. */
    private static final int EARLY_SECONDS = 90;

    private final WriteFaultPlan plan;
    private final SeededContent content;
    private final PrintStream out;
    private final BufferedReader in;
    private final Map<Stage, Integer> calls = new EnumMap<>(Stage.class);
    private final Set<Stage> passed = EnumSet.noneOf(Stage.class);

    private FaultWriter(WriteFaultPlan plan, PrintStream out, BufferedReader in) {
        this.plan = plan;
        this.content = new SeededContent(plan.seed());
        this.out = out;
        this.in = in;
    }

    /** @param arguments seed, path, offset of the port of DataNodes, directory of Unix sockets */
    public static void main(String[] arguments) {
        PrintStream lines = System.out;
        System.setOut(System.err);
        WriteFaultPlan plan = WriteFaultPlan.of(Long.parseLong(arguments[0]));
        FaultWriter writer = new FaultWriter(
                plan, lines, new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
        StagedNameNode.showTo(writer);
        Configuration conf = new HdfsConfiguration();
        conf.set("fs.hdfs.impl", "io.terrace.fs.TerraceFileSystem");
        conf.set("terrace.client.write.enabled", "true");
        conf.set("terrace.channel.tcp.port.offset", arguments[2]);
        conf.set("terrace.client.tcp.connect.timeout", "2s");
        conf.set("terrace.client.write.close", plan.early() ? "minimal" : "all");
        if (plan.local()) {
            conf.set("terrace.channel.dir", arguments[3]);
        }
        URI uri = FileSystem.getDefaultUri(conf);
        conf.set("dfs.client.failover.proxy.provider." + uri.getHost(), StagedNameNode.class.getName());
        conf.set("dfs.client.failover.sleep.max.millis", "1000");
        conf.set("dfs.client.failover.max.attempts", "60");
        conf.set("dfs.client.retry.max.attempts", "60");
        try (FileSystem fs = FileSystem.newInstance(uri, conf)) {
            writer.write(fs, new Path(arguments[1]));
        } catch (IOException e) {
            writer.sayWhatWasThrown("FAILED", e);
        } catch (RuntimeException | Error e) {
            // HDFS tells of a fault by an IOException.
            writer.sayWhatWasThrown("BROKEN", e);
        }
        writer.sayWhatIsLeft();
        writer.say("OVER_CHANNEL " + ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) + " "
                + ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES));
        System.exit(0);
    }

    private void write(FileSystem fs, Path path) throws IOException {
        FSDataOutputStream file = fs.create(path, true, 4096, (short) plan.replication(), plan.blockBytes());
        boolean written = false;
        try {
            say("CREATED");
            writeSteps(file);
            say("CLOSING " + plan.fileBytes());
            written = true;
        } finally {
            try {
                file.close();
            } catch (IOException e) {
                if (written) {
                    throw e;
                }
                // What failed first is thrown on.
                e.printStackTrace();
            }
        }
        say("CLOSED " + plan.fileBytes());
    }

    private void writeSteps(FSDataOutputStream file) throws IOException {
        byte[] bytes = new byte[1 << 20];
        long at = 0;
        reached(Stage.FIRST_BYTE, 0);
        reachedOffset(0);
        for (Step step : plan.steps()) {
            if (step.kind() == Kind.WRITE) {
                say("WRITE " + step.end());
                while (at < step.end()) {
                    int count = (int) Math.min(bytes.length, step.end() - at);
                    content.fill(0, 0, at, bytes, count);
                    file.write(bytes, 0, count);
                    at += count;
                }
                reachedOffset(at);
            } else {
                if (step.kind() == Kind.HFLUSH) {
                    file.hflush();
                } else {
                    file.hsync();
                }
                say("FLUSHED " + at);
            }
        }
    }

    private void reachedOffset(long at) throws IOException {
        for (Stage stage : new Stage[] {Stage.AT_OFFSET, Stage.BLOCK_END}) {
            if (plan.first().offset() == at) {
                reached(stage, 0);
            }
        }
    }

    @Override
    public void before(String call) {
        pass(call, false);
    }

    @Override
    public void after(String call, @Nullable Object answer) {
        if (answer instanceof LocatedBlock block) {
            pipeline(block.getLocations());
        }
        pass(call, true);
    }

    /** Tells who is in the pipeline, by transfer ports. */
    private void pipeline(DatanodeInfo[] nodes) {
        say("PIPELINE " + Stream.of(nodes).map(node -> "" + node.getXferPort()).collect(Collectors.joining(" ")));
    }

    private void pass(String call, boolean answered) {
        for (Stage stage : Stage.values()) {
            if (stage.call().filter(call::equals).isPresent() && stage.answered() == answered) {
                try {
                    reached(stage, calls.merge(stage, 1, Integer::sum) - 1);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** Called by the thread that writes, and by its streamer. */
    private synchronized void reached(Stage stage, int ordinal) throws IOException {
        for (Injection injection : plan.injections()) {
            if (injection.stage() == stage && injection.ordinal() == ordinal && passed.add(stage)) {
                say("STAGE " + stage.name());
                if (injection.waits() && in.readLine() == null) {
                    throw new IOException("the parent is gone");
                }
            }
        }
    }

    private void sayWhatWasThrown(String word, Throwable thrown) {
        thrown.printStackTrace();
        say(word + " " + thrown.toString().lines().findFirst().orElse(""));
    }

    private void say(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    /** A file that was closed early has a thread until all DataNodes have it; that of any other may be about to end. */
    private void sayWhatIsLeft() {
        waitWhile(() -> ClientMetrics.value(Metric.CLIENT_WRITE_CLOSED_UNFINISHED) > 0, EARLY_SECONDS);
        waitWhile(() -> streamers() > 0, END_SECONDS);
        say("LEFT " + ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES) + " " + streamers());
    }

    private static void waitWhile(BooleanSupplier goesOn, int seconds) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (goesOn.getAsBoolean() && System.nanoTime() - deadlineNs < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Threads of streams, of which none is open any more. */
    private static long streamers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("DataStreamer")
                        || thread.getName().contains("ResponseProcessor"))
                .count();
    }
}
