package io.terrace.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.terrace.client.BlockReadRequest;
import io.terrace.client.StreamGrants;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/** A read that goes on to memory allocates nothing on the heap beside what the memory's reader does. */
final class SteppingReadAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int READ_BYTES = 4096;
    private static final int WARM_UP = 20_000;
    private static final int READS = 10_000;

    private interface Read {
        int read(FallbackBlockReader reader) throws IOException;
    }

    private static long allocatedBytes(Read read) throws IOException {
        long lengthBytes = (long) READ_BYTES * (WARM_UP + READS);
        LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", 1, lengthBytes, 1), new DatanodeInfo[0]);
        BlockReadRequest range = new BlockReadRequest(
                located,
                0,
                lengthBytes,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 9866),
                false,
                true,
                "user",
                holder -> 0,
                new Configuration(false),
                new StreamGrants());
        try (FallbackBlockReader reader = new FallbackBlockReader(
                new Memory(),
                range,
                (offset, length) -> {
                    throw new AssertionError("stock is opened");
                },
                why -> {
                    throw new AssertionError(why);
                })) {
            int wrong = read(reader, read, WARM_UP);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            wrong += read(reader, read, READS);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(wrong).as("reads that gave too few bytes").isZero();
            return allocated;
        }
    }

    private static int read(FallbackBlockReader reader, Read read, int reads) throws IOException {
        int wrong = 0;
        for (int i = 0; i < reads; i++) {
            wrong += read.read(reader) == READ_BYTES ? 0 : 1;
        }
        return wrong;
    }

    @Test
    void read_intoADirectBuffer_allocatesNothing() throws IOException {
        ByteBuffer target = ByteBuffer.allocateDirect(READ_BYTES);
        assertThat(allocatedBytes(reader -> reader.read(target.clear()))).isLessThan(READS);
    }

    @Test
    void read_intoAnArray_allocatesNothing() throws IOException {
        byte[] target = new byte[READ_BYTES];
        assertThat(allocatedBytes(reader -> reader.read(target, 0, READ_BYTES))).isLessThan(READS);
    }

    /** Has all bytes and leaves the targets as they are. */
    private static final class Memory extends ReplicaAccessor {
        @Override
        public int read(long position, byte[] buffer, int offset, int length) {
            return length;
        }

        @Override
        public int read(long position, ByteBuffer buffer) {
            int count = buffer.remaining();
            buffer.position(buffer.limit());
            return count;
        }

        @Override
        public void close() {}

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public boolean isShortCircuit() {
            return true;
        }

        @Override
        public int getNetworkDistance() {
            return 0;
        }
    }
}
