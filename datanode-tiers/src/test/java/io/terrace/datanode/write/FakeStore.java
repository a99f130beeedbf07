package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteThrough;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Blocks in memory. */
final class FakeStore implements BlockStore {
    static final int CHUNK_BYTES = 512;
    static final int MOST_BYTES = 4 << 20;

    final List<Block> blocks = new ArrayList<>();
    final AtomicInteger busy = new AtomicInteger();

    @Override
    public void finaliseSynced(byte[] request, Client client) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized @Nullable OpenBlock open(
            byte[] request, WriteThrough through, @Nullable WholeBlock whole, Client client) throws IOException {
        String name = new String(request, StandardCharsets.UTF_8);
        if (name.startsWith("done")) {
            return null;
        }
        if (name.startsWith("no")) {
            throw new IOException("not " + name);
        }
        if (whole != null) {
            whole.receive(CHUNK_BYTES);
        }
        Block block = new Block(name.startsWith("stuck"));
        blocks.add(block);
        return block;
    }

    @Override
    public byte[] success() {
        return "yes".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] refusal(Throwable why) {
        return String.valueOf(why.getMessage()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void blockBegun() {
        busy.incrementAndGet();
    }

    @Override
    public void blockEnded() {
        busy.decrementAndGet();
    }

    synchronized Block block(int index) {
        return blocks.get(index);
    }

    /** A block in memory. */
    static final class Block implements OpenBlock {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        final Thread writer = Thread.currentThread();
        volatile String state = "open";
        volatile int syncs;
        private final boolean stuck;
        int frames;
        long acknowledged;

        /** @param stuck whether its end fails */
        Block(boolean stuck) {
            this.stuck = stuck;
        }

        @Override
        public @Nullable NextNode next() {
            return null;
        }

        @Override
        public boolean isFirst() {
            return true;
        }

        @Override
        public PipelineEvents events() {
            return PipelineEvents.NONE;
        }

        @Override
        public WrittenFiles files() {
            throw new AssertionError("there is no next DataNode");
        }

        @Override
        public int chunkBytes() {
            return CHUNK_BYTES;
        }

        @Override
        public long mostBytes() {
            return MOST_BYTES;
        }

        @Override
        public long lengthBytes() {
            return written.size();
        }

        @Override
        public void write(long offset, ByteBuffer data, ByteBuffer sums) throws IOException {
            assertThat(sums.remaining()).isEqualTo(WriteData.sumBytes(data.remaining(), CHUNK_BYTES));
            if (sums.getInt(0) < 0) {
                throw new IOException("wrong checksum");
            }
            data.position((int) (written.size() - offset));
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            written.write(bytes);
        }

        @Override
        public void sync() {
            syncs++;
        }

        @Override
        public void received() {
            frames++;
        }

        @Override
        public void acknowledge(long bytes) {
            acknowledged = bytes;
        }

        @Override
        public void finish(boolean synced) {
            state = synced ? "finished, synced" : "finished";
        }

        @Override
        public void close() throws IOException {
            if (state.equals("open")) {
                state = "left";
            }
            if (stuck) {
                throw new IOException("stuck");
            }
        }
    }
}
