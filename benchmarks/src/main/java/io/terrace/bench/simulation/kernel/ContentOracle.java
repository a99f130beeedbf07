package io.terrace.bench.simulation.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The right bytes of every block under every stamp it ever had, to check reads against. */
public final class ContentOracle {

    private record Version(long blockId, long stamp) {}

    private final Map<Version, byte[]> versions = new HashMap<>();
    private final Map<Long, List<Long>> stamps = new HashMap<>();
    private final Random random;

    public ContentOracle(Random random) {
        this.random = random;
    }

    /** New bytes of a block. */
    public byte[] create(long blockId, long stamp, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        random.nextBytes(bytes);
        return put(blockId, stamp, bytes);
    }

    /** The block under a new stamp: cut or lengthened to that length. */
    public byte[] change(long blockId, long oldStamp, long newStamp, int lengthBytes) {
        byte[] before = of(blockId, oldStamp);
        byte[] after = new byte[lengthBytes];
        random.nextBytes(after);
        System.arraycopy(before, 0, after, 0, Math.min(before.length, lengthBytes));
        return put(blockId, newStamp, after);
    }

    /** Every stamp the block ever had, first to last. */
    public List<Long> stamps(long blockId) {
        return stamps.getOrDefault(blockId, List.of());
    }

    private byte[] put(long blockId, long stamp, byte[] bytes) {
        versions.put(new Version(blockId, stamp), bytes);
        stamps.computeIfAbsent(blockId, id -> new ArrayList<>()).add(stamp);
        return bytes;
    }

    public byte[] of(long blockId, long stamp) {
        byte[] bytes = versions.get(new Version(blockId, stamp));
        if (bytes == null) {
            throw new IllegalStateException("no block " + blockId + " ever had stamp " + stamp);
        }
        return bytes;
    }
}
