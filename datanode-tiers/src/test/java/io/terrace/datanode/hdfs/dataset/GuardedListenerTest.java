package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;

class GuardedListenerTest {

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger stops = new AtomicInteger();

    private DatasetListener failing(Throwable fault) {
        DatasetListener watch = (DatasetListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DatasetListener.class}, (proxy, method, arguments) -> {
                    calls.incrementAndGet();
                    throw fault;
                });
        return new GuardedListener(watch, stops::incrementAndGet);
    }

    @Test
    void fault_inAnyCall_leavesAStockDataNodeForGood() {
        for (Throwable fault : new Throwable[] {new IllegalStateException("broken"), new NoSuchMethodError("gone")}) {
            calls.set(0);
            stops.set(0);
            DatasetListener guarded = failing(fault);
            ExtendedBlock block = new ExtendedBlock("pool", 1);
            guarded.changed("pool", 1);
            assertThat(stops).hasValue(1);
            InputStream stock = new ByteArrayInputStream(new byte[1]);
            assertThat(guarded.openCopy(block, 0)).isNull();
            assertThat(guarded.openMeta(block)).isNull();
            assertThat(guarded.opened(block, stock, 1)).isSameAs(stock);
            assertThat(guarded.pinned("pool")).isEmpty();
            assertThat(guarded.pinCapacityBytes()).isZero();
            guarded.pin("pool", new long[] {1});
            assertThat(calls).hasValue(1);
            assertThat(stops).hasValue(1);
        }
    }
}
