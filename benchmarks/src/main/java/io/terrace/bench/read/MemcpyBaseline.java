package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.nio.ByteBuffer;

/** Copies a large area of memory piece by piece into one small buffer: the lower bound for any read. */
final class MemcpyBaseline implements InterleavedRuns.Probe {
    private static final int PAGE_BYTES = 4_096;

    private final ByteBuffer source;
    private final byte[] target;

    /** @param totalBytes of the area, at most 1 GB */
    MemcpyBaseline(long totalBytes, int pieceBytes) {
        source = ByteBuffer.allocateDirect((int) Math.min(totalBytes, 1 << 30));
        target = new byte[pieceBytes];
        for (int at = 0; at < source.capacity(); at += PAGE_BYTES) {
            source.put(at, (byte) at);
        }
    }

    /** Nanoseconds per byte. */
    @Override
    public double cost(Client client, int round) {
        long startNs = System.nanoTime();
        int at = 0;
        for (; at + target.length <= source.capacity(); at += target.length) {
            source.get(at, target, 0, target.length);
        }
        return (double) (System.nanoTime() - startNs) / at;
    }
}
