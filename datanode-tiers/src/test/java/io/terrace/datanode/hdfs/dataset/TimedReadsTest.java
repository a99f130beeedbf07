package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeatTable;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each look at the clock finds it a microsecond later, so each read takes one. */
class TimedReadsTest {

    private static final String POOL = "BP-1";
    private static final long BLOCK = 7;
    private static final long OPEN_NS = 500;

    @TempDir
    Path dir;

    private final AtomicLong clock = new AtomicLong();
    private final MetricRegistry metrics = new MetricRegistry();
    private final HeatTable heat = new HeatTable(10);
    private final AccessRecorder accessRecorder = new AccessRecorder(metrics, clock::get, () -> null);
    private final TimedReads timedReads = new TimedReads(accessRecorder, () -> clock.getAndAdd(1_000));

    @BeforeEach
    void listen() {
        accessRecorder.listen(POOL, new AccessRecorder.Listener() {
            @Override
            public HeatTable heat() {
                return heat;
            }

            @Override
            public void blockAdded() {}
        });
    }

    @Test
    void read_isCountedAsItBegins_andWithBytesAndTimeAsItEnds() throws Exception {
        Path file = Files.write(dir.resolve("blk"), new byte[1000]);
        InputStream in = timedReads.opened(POOL, BLOCK, new FileInputStream(file.toFile()), OPEN_NS);
        assertThat(metrics.value(Metric.READS_STOCK_REPLICA)).isEqualTo(1);
        assertThat(in.read(new byte[100])).isEqualTo(100);
        assertThat(metrics.value(Metric.READS_STOCK_REPLICA_BYTES)).isZero();
        in.close();

        assertThat(metrics.value(Metric.READS_STOCK_REPLICA_BYTES)).isEqualTo(100);
        HeatTable.Heat block = heat.drain(10).get(0);
        assertThat(block.reads()).isEqualTo(1);
        assertThat(block.replica()).isEqualTo(new HeatTable.Timed(1, 100, OPEN_NS + 1_000));
    }

    @Test
    void streamOfNoFile_isHandedOutAsItIs_andTheReadIsCounted() {
        InputStream stock = new ByteArrayInputStream(new byte[10]);
        assertThat(timedReads.opened(POOL, BLOCK, stock, OPEN_NS)).isSameAs(stock);
        assertThat(metrics.value(Metric.READS_STOCK_REPLICA)).isEqualTo(1);
    }
}
