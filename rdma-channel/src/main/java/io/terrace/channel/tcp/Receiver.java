package io.terrace.channel.tcp;

import io.terrace.channel.Completion.Status;
import io.terrace.channel.MalformedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Takes a client's incoming bytes apart and puts the body of each answer where its operation wants it; large ones
 * straight from the socket. Used by one thread at a time, which the link decides.
 */
final class Receiver {
    /** Holds the longest message; answers with data pass through piece by piece. */
    private static final int INPUT_BYTES = 128 * 1024;

    /** What the receiver tells the link. */
    interface Taker {
        /** The operation of that number while it is outstanding. */
        @Nullable
        Operation find(long number);

        void done(Operation operation, Status status);

        /** A part of a streamed body is there. */
        void partLanded(Operation operation);

        /** Whether what comes next is likely to be a streamed body, of which nothing should be read but the header. */
        boolean expectsStream();

        void message(ByteBuffer message) throws MalformedMessageException;

        void resident(ByteBuffer body) throws MalformedMessageException;
    }

    private final SocketChannel channel;
    private final Taker taker;
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES).limit(0);
    private boolean inBody;
    private int bodyLeft;
    private @Nullable Operation current;
    private boolean ended;

    Receiver(SocketChannel channel, Taker taker) {
        this.channel = channel;
        this.taker = taker;
    }

    /** Reads once; returns the bytes read, 0 when there are none now and -1 at the end. */
    int receive() throws IOException {
        Operation operation = current;
        if (inBody && operation != null && !input.hasRemaining() && operation.isDirect(bodyLeft)) {
            int got = operation.take(this::readInto);
            if (got >= 0) {
                if (got > 0) {
                    took(got);
                }
                return got;
            }
            if (ended) {
                return -1;
            }
        }
        input.compact();
        if (!inBody && input.position() == 0 && taker.expectsStream()) {
            input.limit(Wire.HEADER_BYTES);
        }
        int got;
        try {
            got = channel.read(input);
        } finally {
            input.flip();
        }
        if (got > 0) {
            takeInput();
        }
        return got;
    }

    private void takeInput() throws IOException {
        while (true) {
            if (inBody) {
                if (!input.hasRemaining()) {
                    return;
                }
                takeBody();
            } else if (!takeHeader()) {
                return;
            }
        }
    }

    private int readInto(ByteBuffer target) throws IOException {
        int limit = target.limit();
        int got;
        try {
            got = channel.read(target.limit(Math.min(limit, target.position() + bodyLeft)));
        } finally {
            target.limit(limit);
        }
        ended = got < 0;
        return got;
    }

    /** A part of an answer's body, into its operation's target or nowhere. */
    private void takeBody() throws IOException {
        int most = Math.min(bodyLeft, input.remaining());
        int start = input.position();
        Operation operation = current;
        int put = operation == null
                ? -1
                : operation.take(target -> {
                    int count = Math.min(most, target.remaining());
                    target.put(input.slice(start, count));
                    return count;
                });
        int count = put < 0 ? most : put;
        input.position(start + count);
        took(count);
    }

    private void took(int count) {
        bodyLeft -= count;
        if (bodyLeft == 0) {
            inBody = false;
            Operation operation = current;
            current = null;
            if (operation != null) {
                taker.done(operation, Status.DONE);
            }
        } else if (current != null && current.takePartLanded()) {
            taker.partLanded(current);
        }
    }

    /** Whether a header, or a whole message, was there. */
    private boolean takeHeader() throws IOException {
        if (input.remaining() < Wire.HEADER_BYTES) {
            return false;
        }
        int start = input.position();
        int body = input.getInt(start);
        byte type = input.get(start + Wire.TYPE_AT);
        if (type == Wire.MESSAGE || type == Wire.RESIDENT) {
            if (body < 0 || body > INPUT_BYTES - Wire.HEADER_BYTES) {
                throw new MalformedMessageException("a message of " + body + " bytes");
            }
            if (input.remaining() < Wire.HEADER_BYTES + body) {
                return false;
            }
            input.position(start + Wire.HEADER_BYTES + body);
            ByteBuffer message = input.slice(start + Wire.HEADER_BYTES, body);
            if (type == Wire.RESIDENT) {
                taker.resident(message);
            } else {
                taker.message(ByteBuffer.allocate(body).put(message).flip());
            }
            return true;
        }
        if (type != Wire.DATA && type != Wire.ATTACHED && type != Wire.WRITTEN) {
            throw new MalformedMessageException("an answer of type " + type);
        }
        Status status = Wire.status(input.get(start + Wire.STATUS_AT));
        Operation operation = taker.find(input.getLong(start + Wire.NUMBER_AT));
        input.position(start + Wire.HEADER_BYTES);
        int expected = operation == null || status != Status.DONE ? 0 : operation.bodyBytes;
        if (body < 0 || body > Wire.MAX_ANSWER_BYTES || (operation != null && body != expected)) {
            throw new MalformedMessageException("an answer of " + body + " bytes where " + expected + " were due");
        }
        if (body == 0) {
            if (operation != null) {
                taker.done(operation, status);
            }
        } else {
            inBody = true;
            bodyLeft = body;
            current = operation;
        }
        return true;
    }
}
