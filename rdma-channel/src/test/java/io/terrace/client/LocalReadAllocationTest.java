package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A positional read of local memory allocates nothing on the heap, whether the extent is mapped or read as a file. */
final class LocalReadAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int LENGTH = 4 << 20;
    private static final int READ_BYTES = 4096;
    private static final int WARM_UP = 20_000;
    private static final int READS = 10_000;

    /** With it no read begins where the last one ended; such a read would be served from what was read ahead. */
    private static final int STRIDE = 1_234_567;

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    @BeforeEach
    void start() throws Exception {
        fixture.node.put(AccessorFixture.block(1), AccessorFixture.content(1, LENGTH));
    }

    private interface PositionalRead {
        int read(long position) throws Exception;
    }

    private static long allocatedBytes(PositionalRead reader) throws Exception {
        int wrong = read(reader, WARM_UP);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        wrong += read(reader, READS);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(wrong).as("reads that gave too few bytes").isZero();
        return allocated;
    }

    private static int read(PositionalRead reader, int reads) throws Exception {
        int wrong = 0;
        long position = 0;
        for (int i = 0; i < reads; i++) {
            position = (position + STRIDE) % (LENGTH - READ_BYTES);
            wrong += reader.read(position) == READ_BYTES ? 0 : 1;
        }
        return wrong;
    }

    @ParameterizedTest
    @ValueSource(strings = {"64m", "0"})
    void read_intoADirectBuffer_allocatesNothing(String mappedMax) throws Exception {
        fixture.conf.set("terrace.client.mapped.max", mappedMax);
        ReplicaAccessor accessor = fixture.build(1, LENGTH);
        ByteBuffer target = ByteBuffer.allocateDirect(READ_BYTES);
        assertThat(allocatedBytes(position -> accessor.read(position, target.clear())))
                .isLessThan(READS);
        accessor.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"64m", "0"})
    void read_intoAnArray_allocatesNothing(String mappedMax) throws Exception {
        fixture.conf.set("terrace.client.mapped.max", mappedMax);
        ReplicaAccessor accessor = fixture.build(1, LENGTH);
        byte[] target = new byte[READ_BYTES];
        assertThat(allocatedBytes(position -> accessor.read(position, target, 0, READ_BYTES)))
                .isLessThan(READS);
        accessor.close();
    }
}
