package io.terrace.client.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.client.ClientConfig;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Reads ahead of a sequential reader over a way that has room for one piece at a time. */
final class PrefetcherTest {
    private static final int LENGTH_BYTES = 1 << 20;

    private final RemoteDataNodes memory = new RemoteDataNodes(
            ClientConfig.from(new Configuration(false)).remote(),
            new MetricRegistry(),
            new ConnectQueue(connect -> {}, 0),
            System::nanoTime);

    @Test
    void read_whereNothingCanBeAskedForAhead_givesWhatWasAskedFor() throws Exception {
        ByteBuffer target = ByteBuffer.allocate(LENGTH_BYTES);
        RemoteExtent extent = new OnePieceAtATime();
        try (Prefetcher prefetcher = new Prefetcher(memory, () -> extent, LENGTH_BYTES)) {
            while (target.hasRemaining()) {
                assertThat(prefetcher.read(target.position(), target)).isPositive();
            }
        }
        assertThat(memory.mayAskAhead((int) memory.settings().readAheadMaxBytes()))
                .as("what was not asked for is not counted")
                .isTrue();
    }

    private static final class OnePieceAtATime implements RemoteExtent {
        private int outstanding;

        @Override
        public long lengthBytes() {
            return LENGTH_BYTES;
        }

        @Override
        public int maxPieceBytes() {
            return LENGTH_BYTES;
        }

        @Override
        public ExtentPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
            if (outstanding > 0) {
                throw new ChannelException(TransferStatus.DEADLINE, "too much is in flight", null);
            }
            outstanding++;
            return new ExtentPiece() {
                @Override
                public int lengthBytes() {
                    return bytes;
                }

                @Override
                public ByteBuffer next(long pieceTimeoutNs) {
                    return ByteBuffer.allocate(bytes);
                }

                @Override
                public void close() {
                    outstanding--;
                }
            };
        }

        @Override
        public void read(long offset, ByteBuffer target, long timeoutNs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
