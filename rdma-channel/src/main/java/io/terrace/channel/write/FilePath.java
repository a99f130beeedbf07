package io.terrace.channel.write;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The path of the file in the request for a new block, from which the DataNode knows whether a rule wants a copy of it in
 * memory. It is a field that Hadoop's {@code OpWriteBlockProto} does not have, so a DataNode that does not know it passes
 * over it. It is not checked: a client may ask for such a copy anyway ({@link WriteThrough}).
 */
public final class FilePath {

    /** Far from the numbers that Hadoop may come to use. */
    public static final int FIELD = 7_001;

    /** Longer ones are not told: a request has a limit, {@link WriteFrame#MAX_PROTO_BYTES}. */
    public static final int MAX_BYTES = 4 << 10;

    private static final int LENGTH_DELIMITED = 2;
    private static final int VARINT_BYTES = 5;

    private FilePath() {}

    /** The request with the path behind it. */
    public static byte[] addTo(byte[] request, String path) {
        byte[] text = path.getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_BYTES) {
            return request;
        }
        ByteBuffer all = ByteBuffer.allocate(request.length + 2 * VARINT_BYTES + text.length);
        all.put(request);
        putVarint(all, FIELD << 3 | LENGTH_DELIMITED);
        putVarint(all, text.length);
        all.put(text).flip();
        byte[] bytes = new byte[all.remaining()];
        all.get(bytes);
        return bytes;
    }

    private static void putVarint(ByteBuffer out, int value) {
        int left = value;
        while (left > 0x7f) {
            out.put((byte) (left & 0x7f | 0x80));
            left >>>= 7;
        }
        out.put((byte) left);
    }
}
