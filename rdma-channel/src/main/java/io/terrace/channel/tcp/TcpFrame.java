package io.terrace.channel.tcp;

import io.terrace.channel.MessageCodec;
import io.terrace.channel.transport.TransferStatus;
import java.nio.ByteBuffer;

/**
 * The frames of the tcp provider, big-endian: a header of 16 bytes (bytes of the body, type, status, two unused, number
 * of the operation), then the body.
 *
 * <ul>
 *   <li>MESSAGE, both ways: a control message, without its own length.
 *   <li>ATTACH: key (16 bytes), address, length, access (1 byte). ATTACHED: handle (4), kind of checksums (1), bytes a
 *       chunk (4).
 *   <li>DETACH: handle. Not answered.
 *   <li>READ: handle, offset (8), length (4), on whole chunks. DATA: the chunks' checksums, then the data; with another
 *       status than DONE no body.
 *   <li>START_WRITES, the first frame of a connection, without a body: the client writes blocks. It is not answered. What
 *       follows are the frames of {@code channel.write}. Its number is 1 from a client that takes an OFFER among them, else
 *       0.
 *   <li>RESIDENT, from the owner: which blocks it has, see {@code ResidentBlocks}.
 * </ul>
 *
 * <p>The type 8 is reserved.
 */
public final class TcpFrame {
    public static final int HEADER_BYTES = 16;
    public static final int TYPE_AT = 4;
    public static final int STATUS_AT = 5;
    public static final int NUMBER_AT = 8;

    public static final byte MESSAGE = 1;
    public static final byte ATTACH = 2;
    public static final byte ATTACHED = 3;
    public static final byte DETACH = 4;
    public static final byte READ = 5;
    public static final byte DATA = 6;
    public static final byte START_WRITES = 7;
    public static final byte RESIDENT = 9;

    public static final int ATTACH_BYTES = 33;
    public static final int ATTACHED_BYTES = 9;
    public static final int DETACH_BYTES = 4;
    public static final int READ_BYTES = 16;

    /** Data of one READ at most; longer reads are several. */
    public static final int MAX_READ_BYTES = 1 << 20;

    /** The longest frame that a server takes in. */
    public static final int MAX_REQUEST_BYTES = HEADER_BYTES + MessageCodec.MAX_FRAME_BYTES;

    /** The longest body that a client takes in: a read of one-byte chunks would be refused by the region. */
    static final int MAX_ANSWER_BYTES = 2 * MAX_READ_BYTES;

    private static final TransferStatus[] STATUSES = TransferStatus.values();

    private TcpFrame() {}

    public static byte code(TransferStatus status) {
        return (byte) status.ordinal();
    }

    /** The frame that makes a new connection one for writes. */
    public static ByteBuffer startWrites() {
        return startWrites(false);
    }

    /**
     * The frame that makes a new connection one for writes.
     *
     * @param takesOffer whether the client takes an OFFER of a window for RDMA
     */
    public static ByteBuffer startWrites(boolean takesOffer) {
        return ByteBuffer.allocate(HEADER_BYTES).put(TYPE_AT, START_WRITES).putLong(NUMBER_AT, takesOffer ? 1 : 0);
    }

    /** The status of that code; an unknown one is a failure. */
    static TransferStatus status(byte code) {
        return code >= 0 && code < STATUSES.length ? STATUSES[code] : TransferStatus.FAILED;
    }
}
