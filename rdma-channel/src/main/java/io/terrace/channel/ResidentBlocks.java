package io.terrace.channel;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The blocks that a DataNode announced last, as fingerprints. A look-up costs a binary search and no call; an answer
 * that is no longer true costs one refused request. Immutable.
 *
 * <p>On the wire (RESIDENT): 1 for everything or 0 for a change, the fingerprints' key (8 bytes), the number of those
 * removed (4) and added (4), then those removed and those added, 8 bytes each. What one frame cannot hold is in the
 * next.
 */
public final class ResidentBlocks {
    public static final ResidentBlocks NONE = new ResidentBlocks(0, new long[0]);

    /** Fingerprints in one frame at most. */
    public static final int MAX_IN_FRAME = 4096;

    private static final int HEAD_BYTES = 17;

    private final long fingerprintKey;
    private final long[] sorted;

    private ResidentBlocks(long fingerprintKey, long[] sorted) {
        this.fingerprintKey = fingerprintKey;
        this.sorted = sorted;
    }

    /** The key that fingerprints are made with. */
    public long fingerprintKey() {
        return fingerprintKey;
    }

    public boolean contains(long fingerprint) {
        return Arrays.binarySearch(sorted, fingerprint) >= 0;
    }

    public int size() {
        return sorted.length;
    }

    /** The frame's body that turns one state into another. */
    public static ByteBuffer frame(boolean everything, long fingerprintKey, long[] go, long[] come) {
        ByteBuffer body = ByteBuffer.allocate(HEAD_BYTES + (go.length + come.length) * Long.BYTES);
        body.put((byte) (everything ? 1 : 0)).putLong(fingerprintKey);
        body.putInt(go.length).putInt(come.length);
        for (long fingerprint : go) {
            body.putLong(fingerprint);
        }
        for (long fingerprint : come) {
            body.putLong(fingerprint);
        }
        return body.flip();
    }

    public ResidentBlocks after(ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() < HEAD_BYTES) {
            throw new MalformedMessageException("a list of resident blocks of " + body.remaining() + " bytes");
        }
        boolean everything = body.get() == 1;
        long key = body.getLong();
        int go = body.getInt();
        int come = body.getInt();
        if (go < 0 || come < 0 || go + (long) come > MAX_IN_FRAME || body.remaining() != (go + come) * Long.BYTES) {
            throw new MalformedMessageException(go + " and " + come + " resident blocks in " + body.remaining());
        }
        long[] gone = longs(body, go);
        long[] added = longs(body, come);
        long[] before = everything ? new long[0] : sorted;
        long[] after = new long[before.length + come];
        int count = 0;
        for (long fingerprint : before) {
            if (Arrays.binarySearch(gone, fingerprint) < 0) {
                after[count++] = fingerprint;
            }
        }
        System.arraycopy(added, 0, after, count, come);
        after = Arrays.copyOf(after, count + come);
        Arrays.sort(after);
        return new ResidentBlocks(key, after);
    }

    private static long[] longs(ByteBuffer body, int count) {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = body.getLong();
        }
        Arrays.sort(values);
        return values;
    }
}
