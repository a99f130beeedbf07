package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        for (Throwable fault : new Throwable[] {
            new IllegalStateException("broken"), new NoSuchMethodError("gone"), new AssertionError("a bug")
        }) {
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

    @Test
    void faultOfTheJvm_endsTheTier_andReachesTheDataNode() {
        OutOfMemoryError fault = new OutOfMemoryError("as was wanted");
        DatasetListener guarded = failing(fault);
        assertThatThrownBy(() -> guarded.changed("pool", 1)).isSameAs(fault);
        assertThat(stops).hasValue(1);
        guarded.changed("pool", 1);
        assertThat(calls).hasValue(1);
    }

    @Test
    void tierThatCannotBeStopped_isNotAFaultOfTheDataNode() {
        IllegalStateException fault = new IllegalStateException("broken");
        DatasetListener guarded = new GuardedListener(failing(fault), () -> {
            throw new AssertionError("as was wanted");
        });
        guarded.changed("pool", 1);
        assertThat(guarded.pinned("pool")).isEmpty();
    }
}
