package io.terrace.channel.verbs.device;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of every SEND: type, the receives that the sender may use again (credits), and a number that an answer
 * repeats. Sixteen bytes, big-endian; the body follows.
 */
public record ControlFrame(byte type, int credits, long number, int bodyBytes) {
    /** A part of a message that goes on in the next frame of these two types. */
    public static final byte PART = 1;

    /** The last part of a message. */
    public static final byte MESSAGE = 2;

    /** Credits only; the one type that needs none itself. */
    public static final byte CREDIT = 3;

    public static final byte ATTACH = 4;
    public static final byte ATTACHED = 5;

    /** Data has been written into a window; the number counts such frames of the window. */
    public static final byte LANDED = 6;

    public static final int HEADER_BYTES = 16;
    public static final int FRAME_BYTES = 4096;
    public static final int MAX_BODY_BYTES = FRAME_BYTES - HEADER_BYTES;

    /** Frames that may be under way unacknowledged, but for CREDIT. */
    public static final int WINDOW = 16;

    /** Receives and sends beyond the window: CREDIT goes out each half window, so two at most are unseen. */
    public static final int RESERVE = 4;

    /** Writes a frame at an offset. */
    public static void put(ByteBuffer target, int at, byte type, int credits, long number, ByteBuffer body) {
        ByteBuffer bytes = target.duplicate().order(ByteOrder.BIG_ENDIAN);
        bytes.put(at, type)
                .put(at + 1, (byte) 0)
                .putShort(at + 2, (short) credits)
                .putInt(at + 4, body.remaining())
                .putLong(at + 8, number)
                .put(at + HEADER_BYTES, body, body.position(), body.remaining());
    }

    /**
     * Reads the header of a frame that the other side sent.
     *
     * @param receivedBytes as the device says
     */
    public static ControlFrame get(ByteBuffer source, int at, int receivedBytes) throws MalformedMessageException {
        if (receivedBytes < HEADER_BYTES || receivedBytes > FRAME_BYTES) {
            throw new MalformedMessageException("a frame of " + receivedBytes + " bytes");
        }
        ByteBuffer bytes = source.duplicate().order(ByteOrder.BIG_ENDIAN);
        ControlFrame frame = new ControlFrame(
                bytes.get(at),
                Short.toUnsignedInt(bytes.getShort(at + 2)),
                bytes.getLong(at + 8),
                bytes.getInt(at + 4));
        if (frame.bodyBytes != receivedBytes - HEADER_BYTES) {
            throw new MalformedMessageException(
                    "a body of " + frame.bodyBytes + " bytes in a frame of " + receivedBytes);
        }
        // Credits are sent when there are some: an empty CREDIT needs none itself and could come without end.
        boolean empty = frame.type == CREDIT && frame.credits == 0;
        if (frame.type < PART || frame.type > LANDED || frame.credits > WINDOW || empty) {
            throw new MalformedMessageException(
                    "a frame of type " + frame.type + " with " + frame.credits + " credits");
        }
        return frame;
    }

    /**
     * Refuses what the other side never says.
     *
     * @param attachable whether it is the other side that attaches
     * @param messages whether somebody here takes messages
     */
    public void requireExpected(boolean attachable, boolean messages) throws MalformedMessageException {
        if (!messages && (type == PART || type == MESSAGE)) {
            throw new MalformedMessageException("a message on a connection that takes none");
        }
        if (attachable && type == ATTACHED) {
            throw new MalformedMessageException("an answer without a request");
        }
        if (!attachable && type == LANDED) {
            throw new MalformedMessageException("data that landed on a side without windows");
        }
    }
}
