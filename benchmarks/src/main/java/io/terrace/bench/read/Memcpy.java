package io.terrace.bench.read;

import java.nio.ByteBuffer;

/** The speed at which this machine copies memory: what no read can beat. */
final class Memcpy {
    private Memcpy() {}

    /** Median nanoseconds per byte of copying a large area piece by piece into one small buffer. */
    static double nsPerByte(long totalBytes, int pieceBytes, int rounds) {
        ByteBuffer source = ByteBuffer.allocateDirect((int) Math.min(totalBytes, 1 << 30));
        byte[] target = new byte[pieceBytes];
        for (int at = 0; at < source.capacity(); at += 4_096) {
            source.put(at, (byte) at);
        }
        double[] costs = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            long startNs = System.nanoTime();
            for (int at = 0; at + pieceBytes <= source.capacity(); at += pieceBytes) {
                source.get(at, target, 0, pieceBytes);
            }
            costs[round] = (double) (System.nanoTime() - startNs) / source.capacity();
        }
        return PairedRatios.medianOf(costs);
    }
}
