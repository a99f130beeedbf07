package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.verbs.device.ControlFrame;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Messages that have come, whole or in part, and the credits that are owed for their frames: for a part at once, for the
 * last frame of a message when it is taken, so that unread messages are bounded by the window. Guarded by the link's lock.
 */
final class MessageAssembler {
    private final Deque<ByteBuffer> messages = new ArrayDeque<>();
    private @Nullable ByteBuffer assembled;
    private int owed;

    void part(ByteBuffer body, boolean last) throws MalformedMessageException {
        ByteBuffer message = assembled;
        if (message == null) {
            message = ByteBuffer.allocate(last ? body.remaining() : MessageCodec.MAX_FRAME_BYTES);
        }
        if (body.remaining() > message.remaining() || messages.size() >= ControlFrame.WINDOW) {
            throw new MalformedMessageException("more of messages than was allowed");
        }
        message.put(body);
        if (last) {
            messages.add(message.flip());
            assembled = null;
        } else {
            assembled = message;
            owe();
        }
    }

    /**
     * A frame that was no message has been dealt with.
     *
     * @throws MalformedMessageException when more frames came than there were credits for
     */
    void owe() throws MalformedMessageException {
        if (owed >= ControlFrame.WINDOW) {
            throw new MalformedMessageException("more frames than there were credits for");
        }
        owed++;
    }

    @Nullable
    ByteBuffer take() {
        ByteBuffer message = messages.poll();
        if (message != null) {
            owed++;
        }
        return message;
    }

    int owed() {
        return owed;
    }

    /** Credits to send along now. */
    int pay() {
        int paid = owed;
        owed = 0;
        return paid;
    }
}
