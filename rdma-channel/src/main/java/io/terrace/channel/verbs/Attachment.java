package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What the owner tells whoever showed the key of a range: where its bytes, its validity word and its checksums are, and
 * with which keys of the device they are read. The content of an ATTACHED frame; an ATTACH has the key itself.
 *
 * @param address of the first byte in the owner's process
 * @param keys of the registrations, one for each {@link #SEGMENT_BYTES}, the last shorter
 * @param word the value that says the range is still valid
 * @param sumsKind NONE when there are no checksums
 * @param chunkBytes that each checksum is for
 */
public record Attachment(
        long address,
        int[] keys,
        long wordAddress,
        int wordKey,
        long word,
        ChecksumType sumsKind,
        int chunkBytes,
        long sumsAddress,
        int sumsKey) {
    /** DiSNI counts a registration's length in an int, and some devices take no more than this at once. */
    public static final int SEGMENT_BYTES = 1 << 30;

    public static final int MAX_SEGMENTS = 256;
    static final int ATTACH_BYTES = 4 * Long.BYTES + 1;

    static final int SUM_BYTES = 4;

    private static final int FIXED_BYTES = 1 + 8 + 8 + 4 + 8 + 1 + 4 + 8 + 4 + 4;

    public static ByteBuffer request(RegionKey key) {
        return ByteBuffer.allocate(ATTACH_BYTES)
                .putLong(key.high())
                .putLong(key.low())
                .putLong(key.address())
                .putLong(key.lengthBytes())
                .put((byte) (key.access() == Access.READ_WRITE ? 1 : 0))
                .flip();
    }

    public static RegionKey requested(ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != ATTACH_BYTES) {
            throw new MalformedMessageException("an attach of " + body.remaining() + " bytes");
        }
        long high = body.getLong();
        long low = body.getLong();
        long address = body.getLong();
        long lengthBytes = body.getLong();
        if (lengthBytes < 0) {
            throw new MalformedMessageException("a range of " + lengthBytes + " bytes");
        }
        return new RegionKey(high, low, address, lengthBytes, body.get() == 1 ? Access.READ_WRITE : Access.READ);
    }

    public static ByteBuffer refusal() {
        return ByteBuffer.allocate(1)
                .put((byte) TransferStatus.NO_ACCESS.ordinal())
                .flip();
    }

    public ByteBuffer encode() {
        ByteBuffer body = ByteBuffer.allocate(FIXED_BYTES + keys.length * Integer.BYTES);
        body.put((byte) TransferStatus.DONE.ordinal())
                .putLong(address)
                .putLong(wordAddress)
                .putInt(wordKey)
                .putLong(word)
                .put((byte) sumsKind.ordinal())
                .putInt(chunkBytes)
                .putLong(sumsAddress)
                .putInt(sumsKey)
                .putInt(keys.length);
        for (int key : keys) {
            body.putInt(key);
        }
        return body.flip();
    }

    public static boolean isRefusal(ByteBuffer body) {
        return body.remaining() == 1;
    }

    public static Attachment decode(ByteBuffer body, long lengthBytes) throws MalformedMessageException {
        if (body.remaining() < FIXED_BYTES || body.get() != TransferStatus.DONE.ordinal()) {
            throw new MalformedMessageException("an answer to an attach of " + body.remaining() + " bytes");
        }
        long address = body.getLong();
        long wordAddress = body.getLong();
        int wordKey = body.getInt();
        long word = body.getLong();
        byte kind = body.get();
        int chunkBytes = body.getInt();
        long sumsAddress = body.getLong();
        int sumsKey = body.getInt();
        int segments = body.getInt();
        boolean covered = lengthBytes <= (long) MAX_SEGMENTS * SEGMENT_BYTES && segments == segments(lengthBytes);
        if (kind < 0 || kind >= ChecksumType.values().length || !covered) {
            throw new MalformedMessageException(segments + " segments for " + lengthBytes + " bytes");
        }
        if (body.remaining() != segments * Integer.BYTES || chunkBytes < 1) {
            throw new MalformedMessageException("an answer to an attach that ends too early or says too much");
        }
        int[] keys = new int[segments];
        for (int i = 0; i < segments; i++) {
            keys[i] = body.getInt();
        }
        return new Attachment(
                address,
                keys,
                wordAddress,
                wordKey,
                word,
                ChecksumType.values()[kind],
                chunkBytes,
                sumsAddress,
                sumsKey);
    }

    /** Bytes of the checksums of a piece that begins on a chunk's first byte. */
    int sumBytes(int pieceBytes) {
        return sumsKind == ChecksumType.NONE ? 0 : (pieceBytes + chunkBytes - 1) / chunkBytes * SUM_BYTES;
    }

    /**
     * The most of the range that goes through one buffer, and its checksums through another; not positive when nothing does.
     * It is less than a buffer, since a piece is widened to whole chunks.
     */
    int maxPieceBytes() {
        return sumBytes(RegisteredBuffers.LARGE_BYTES) > RegisteredBuffers.LARGE_BYTES
                ? 0
                : RegisteredBuffers.LARGE_BYTES - 2 * chunkBytes;
    }

    public static int segments(long lengthBytes) {
        return (int) Math.max(1, (lengthBytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attachment that && encode().equals(that.encode());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(keys) * 31 + Long.hashCode(word);
    }

    /** Leaves the keys out. */
    @Override
    public String toString() {
        return "Attachment[" + keys.length + " segments]";
    }
}
