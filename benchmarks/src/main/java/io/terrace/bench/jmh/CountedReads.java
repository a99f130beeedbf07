package io.terrace.bench.jmh;

import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeatTable;
import io.terrace.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * Time to count a read of a replica by a stock client, as it begins and as it ends, while four threads read and heartbeats carry away
 * what was counted. Listeners are NameNodes: two of a pair for high availability, six of three such pairs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(4)
@SuppressWarnings("NullAway.Init") // JMH calls prepare() before anything else
public class CountedReads {
    private static final String POOL = "BP-1-127.0.0.1-1";
    private static final int BLOCKS = 1 << 16;
    private static final int PAGE = 8192;
    private static final long HEARTBEAT_MS = 250;

    @Param({"2", "6"})
    int listeners;

    private final List<HeatTable> tables = new ArrayList<>();
    private AccessRecorder accessRecorder;
    private Thread heartbeats;
    private volatile boolean over;

    @Setup
    public void prepare() {
        accessRecorder = new AccessRecorder(new MetricRegistry(), System::nanoTime, () -> null);
        for (int i = 0; i < listeners; i++) {
            HeatTable table = new HeatTable(BLOCKS);
            tables.add(table);
            accessRecorder.listen(POOL, new AccessRecorder.Listener() {
                @Override
                public HeatTable heat() {
                    return table;
                }

                @Override
                public void blockAdded() {
                    if (table.size() >= PAGE) {
                        Thread.onSpinWait();
                    }
                }
            });
        }
        heartbeats = new Thread(this::drain, "heartbeats");
        heartbeats.start();
    }

    @TearDown
    public void stop() throws InterruptedException {
        over = true;
        heartbeats.join();
    }

    private void drain() {
        while (!over) {
            tables.forEach(table -> table.drain(PAGE));
            try {
                Thread.sleep(HEARTBEAT_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Benchmark
    public void read() {
        long blockId = ThreadLocalRandom.current().nextInt(BLOCKS);
        accessRecorder.stockReadBegan(POOL, blockId, false);
        accessRecorder.stockReadEnded(POOL, blockId, 4096, false, 1000);
    }
}
