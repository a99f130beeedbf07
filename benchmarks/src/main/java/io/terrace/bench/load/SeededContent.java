package io.terrace.bench.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Bytes made from a seed: the eight bytes at a multiple of eight are a mix of seed, file, version and position, so any
 * range is made without what stands before it, and no two blocks are alike.
 *
 * <p>The mix is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
public final class SeededContent implements Content {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private final long seed;

    public SeededContent(long seed) {
        this.seed = seed;
    }

    @Override
    public void fill(int file, int version, long position, byte[] target, int length) {
        long base = mix(seed ^ mix(((long) file << 32) | (version & 0xffffffffL)));
        int i = 0;
        for (; i < length && ((position + i) & 7) != 0; i++) {
            target[i] = single(base, position + i);
        }
        for (; i + 8 <= length; i += 8) {
            LONG.set(target, i, word(base, (position + i) >>> 3));
        }
        for (; i < length; i++) {
            target[i] = single(base, position + i);
        }
    }

    private static byte single(long base, long position) {
        return (byte) (word(base, position >>> 3) >>> ((position & 7) << 3));
    }

    private static long word(long base, long index) {
        return mix(base + index * GOLDEN);
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
