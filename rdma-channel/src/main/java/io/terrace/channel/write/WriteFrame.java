package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * The header of a frame on a write connection, 16 bytes big-endian: bytes of the body (4), type (1), flags (1), two
 * unused, number (8). The body follows.
 *
 * <p>A write connection is a connection to a DataNode whose first message was a request to write: {@code
 * TcpFrame.startWrites} over tcp, {@code Message.StartWrites} over the Unix socket. Neither is answered. From then on
 * there are only these frames. The client writes one block after another:
 *
 * <ul>
 *   <li>OPEN, from the client: Hadoop's {@code OpWriteBlockProto}, without a length before it, for a new block with the
 *       {@link FilePath}. The DataNode opens the block at the first of its targets with the rest of them, as that one's client. Its flags ask for
 *       a copy in memory ({@link WriteThrough}), and whether there will be one is not answered; or they ask for a sync of what
 *       the request finalises, at all DataNodes. Its number is 0, or the bytes of
 *       the block, {@link #MAX_WHOLE_BYTES} at most, if the client sends all of a new block at once: one DATA frame with LAST
 *       follows, without a wait for the answer. That is an ACK with ALL_FINALIZED then, without OPENED before it, unless the
 *       block is refused. An older DataNode does not look at the number, and answers with OPENED and ACK.
 *   <li>OPENED, from the DataNode: Hadoop's {@code BlockOpResponseProto}. Unless its status is SUCCESS, {@code
 *       firstBadLink} is the transfer address of the DataNode at fault, empty for the one that answers, and the connection
 *       ends. ERROR_UNSUPPORTED says that this DataNode is well and stock can write the block.
 *   <li>DATA, from the client, with any of its flags: see {@link WriteData}. Numbers increase within a block, from 1 or more.
 *   <li>ACK, from the DataNode: see {@link WriteAck}. After ALL_FINALIZED the next OPEN may come.
 *   <li>PING, from the client, where it has nothing to send for a while, so that it is not taken for dead. The DataNode
 *       sends the same back.
 *   <li>FAILED, from the DataNode in place of any answer: {@code BlockOpResponseProto}, whose {@code firstBadLink} is as
 *       in OPENED. The connection ends.
 *   <li>OFFER, from a DataNode with RDMA, first of all and only to a client that can take it: the address of its RDMA
 *       channel as text.
 *   <li>WINDOW, from a client that was offered it, at most once, between any two frames after a block was opened, without a
 *       body: it would like a
 *       {@link LandingWindow}. The DataNode answers with the same type: see {@link WindowFrame}. From then on the data of
 *       a DATA frame may lie in the window instead of here: the client writes it there by RDMA, announces it on that
 *       connection, and sends the frame with {@link #LANDED} and without its data. The checksums always come here: whoever
 *       else reaches the window can spoil a frame, but not forge one.
 * </ul>
 *
 * @param bodyBytes that follow the header
 * @param flags {@link #MEMORY}, {@link #MEMORY_ALL}, {@link #SYNC_REPLICA} of OPEN; {@link #SYNC}, {@link #FLUSH}, {@link #LAST}, {@link
 *     #LANDED} of DATA; {@link #FINALIZED}, {@link #ALL_FINALIZED} of ACK; 0 for others
 */
public record WriteFrame(int bodyBytes, byte type, byte flags, long number) {
    public static final int HEADER_BYTES = 16;

    public static final byte OPEN = 1;
    public static final byte OPENED = 2;
    public static final byte DATA = 3;
    public static final byte ACK = 4;
    public static final byte PING = 5;
    public static final byte FAILED = 6;
    public static final byte OFFER = 7;
    public static final byte WINDOW = 8;

    /** The client would like a copy of the block in memory as soon as it is finalised, at this DataNode. */
    public static final byte MEMORY = 1;

    /** With {@link #MEMORY}: at all DataNodes after this one too. */
    public static final byte MEMORY_ALL = 2;

    /** The request is to finalise a replica that is there: it is to be on the disk before the answer. */
    public static final byte SYNC_REPLICA = 4;

    /** The data is to be on the disk before it is acknowledged. */
    public static final byte SYNC = 1;

    /** The client waits for the acknowledgement of this frame. */
    public static final byte FLUSH = 2;

    /** The block ends with this frame. */
    public static final byte LAST = 4;

    /** The data lies in the landing window. */
    public static final byte LANDED = 8;

    /** This DataNode has finalised the block. */
    public static final byte FINALIZED = 4;

    /** This DataNode and all after it have finalised the block. */
    public static final byte ALL_FINALIZED = 8;

    /** Data of one frame at most. */
    public static final int MAX_DATA_BYTES = 1 << 20;

    /** Of a block that is sent with the request to open it, at most. */
    public static final int MAX_WHOLE_BYTES = 64 << 10;

    /** Checksums of one frame at most. A frame of chunks below 64 bytes has less data for it. */
    public static final int MAX_SUM_BYTES = 64 << 10;

    /** The longest body that is Hadoop's. */
    public static final int MAX_PROTO_BYTES = 64 << 10;

    /** The longest body of all. */
    public static final int MAX_BODY_BYTES = WriteData.BYTES + MAX_SUM_BYTES + MAX_DATA_BYTES;

    public boolean has(byte flag) {
        return (flags & flag) != 0;
    }

    /** Writes the header at the buffer's position. */
    public void encode(ByteBuffer out) {
        out.putInt(bodyBytes).put(type).put(flags).putShort((short) 0).putLong(number);
    }

    /**
     * Reads a header at the buffer's position.
     *
     * @throws MalformedMessageException for an unknown type or flag, a length that a body of its type cannot have, or a block
     *     that is too long to be sent with the request to open it
     */
    public static WriteFrame decode(ByteBuffer in) throws MalformedMessageException {
        WriteFrame frame = new WriteFrame(in.getInt(), in.get(), in.get(), takeNumber(in));
        if (frame.bodyBytes < frame.leastBytes() || frame.bodyBytes > frame.mostBytes()) {
            throw new MalformedMessageException(
                    "a frame of type " + frame.type + " with a body of " + frame.bodyBytes + " bytes");
        }
        if ((frame.flags & ~frame.allowedFlags()) != 0) {
            throw new MalformedMessageException("a frame of type " + frame.type + " with flags " + frame.flags);
        }
        if (frame.type == OPEN && (frame.number < 0 || frame.number > MAX_WHOLE_BYTES)) {
            throw new MalformedMessageException("a request with a block of " + frame.number + " bytes");
        }
        return frame;
    }

    private static long takeNumber(ByteBuffer in) {
        in.getShort();
        return in.getLong();
    }

    private int allowedFlags() {
        return switch (type) {
            case OPEN -> MEMORY | MEMORY_ALL | SYNC_REPLICA;
            case DATA -> SYNC | FLUSH | LAST | LANDED;
            case ACK -> FINALIZED | ALL_FINALIZED;
            default -> 0;
        };
    }

    private int leastBytes() {
        return switch (type) {
            case DATA -> WriteData.BYTES;
            case ACK -> WriteAck.BYTES;
            default -> 0;
        };
    }

    /** An unknown type cannot have any body. */
    private int mostBytes() {
        return switch (type) {
            case OPEN, OPENED, FAILED -> MAX_PROTO_BYTES;
            case DATA -> MAX_BODY_BYTES;
            case ACK -> WriteAck.BYTES;
            case PING -> 0;
            case OFFER -> WindowFrame.MAX_ADDRESS_BYTES;
            case WINDOW -> WindowFrame.KEY_BYTES;
            default -> -1;
        };
    }
}
