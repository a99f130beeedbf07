package io.terrace.bench.jmh;

import io.terrace.datanode.hdfs.dataset.TimedReads;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeatTable;
import io.terrace.metrics.MetricRegistry;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a DataNode does to a block's file for a stock client that reads 4 KB: open, read, close. As stock does it, and counted and
 * timed for heat and the control sample. The difference is our cost of a read.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls prepare() before anything else
public class ReplicaReads {
    private static final String POOL = "BP-1-127.0.0.1-1";
    private static final int READ_BYTES = 4 << 10;
    private static final int BLOCKS = 1 << 16;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
    private final HeatTable heat = new HeatTable(BLOCKS);
    private Path file;
    private TimedReads timedReads;
    private long next;

    @Setup
    public void prepare() throws IOException {
        file = Files.createTempFile("terrace-replica", ".data");
        Files.write(file, new byte[READ_BYTES]);
        AccessRecorder accessRecorder = new AccessRecorder(new MetricRegistry(), System::nanoTime, () -> null);
        accessRecorder.listen(POOL, new AccessRecorder.Listener() {
            @Override
            public HeatTable heat() {
                return heat;
            }

            @Override
            public void blockAdded() {}
        });
        timedReads = new TimedReads(accessRecorder, System::nanoTime);
    }

    @TearDown
    public void remove() throws IOException {
        Files.delete(file);
    }

    /** As stock does it. */
    @Benchmark
    public int stock() throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            return read(in);
        }
    }

    /** The same, counted and timed. */
    @Benchmark
    public int timed() throws IOException {
        long beganNs = System.nanoTime();
        FileInputStream stock = new FileInputStream(file.toFile());
        next = (next + 7_919) & (BLOCKS - 1);
        try (InputStream in = timedReads.opened(POOL, next, stock, System.nanoTime() - beganNs)) {
            return read((FileInputStream) in);
        }
    }

    private int read(FileInputStream in) throws IOException {
        buffer.clear();
        return in.getChannel().read(buffer, 0);
    }
}
