package io.terrace.channel.tcp;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of responses from a socket and puts each body into the {@link ResponseSink} of its request; large
 * bodies straight from the socket. Used by one thread at a time, which the link decides.
 */
final class FrameReader {
    /** Holds the longest message; answers with data pass through piece by piece. */
    private static final int INPUT_BYTES = 128 * 1024;

    /** What the receiver tells the link. */
    interface Handler {
        /** The operation of that number while it is outstanding. */
        @Nullable
        TcpRequest find(long number);

        void done(TcpRequest tcpRequest, TransferStatus status);

        /** A part of a streamed body is there. */
        void partLanded(TcpRequest tcpRequest);

        /** Whether what comes next is likely to be a streamed body, of which nothing should be read but the header. */
        boolean expectsStream();

        void message(ByteBuffer message) throws MalformedMessageException;

        void resident(ByteBuffer body) throws MalformedMessageException;
    }

    private final SocketChannel channel;
    private final Handler handler;
    private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES).limit(0);
    private boolean inBody;
    private int bodyLeft;
    private @Nullable TcpRequest current;
    private boolean ended;

    FrameReader(SocketChannel channel, Handler handler) {
        this.channel = channel;
        this.handler = handler;
    }

    /** Reads once; returns the bytes read, 0 when there are none now and -1 at the end. */
    int receive() throws IOException {
        TcpRequest tcpRequest = current;
        if (inBody && tcpRequest != null && !input.hasRemaining() && tcpRequest.isDirect(bodyLeft)) {
            int got = tcpRequest.take(this::readInto);
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
        if (!inBody && input.position() == 0 && handler.expectsStream()) {
            input.limit(TcpFrame.HEADER_BYTES);
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
        TcpRequest tcpRequest = current;
        int put = tcpRequest == null
                ? -1
                : tcpRequest.take(target -> {
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
            TcpRequest tcpRequest = current;
            current = null;
            if (tcpRequest != null) {
                handler.done(tcpRequest, TransferStatus.DONE);
            }
        } else if (current != null && current.takePartLanded()) {
            handler.partLanded(current);
        }
    }

    /** Whether a header, or a whole message, was there. */
    private boolean takeHeader() throws IOException {
        if (input.remaining() < TcpFrame.HEADER_BYTES) {
            return false;
        }
        int start = input.position();
        int body = input.getInt(start);
        byte type = input.get(start + TcpFrame.TYPE_AT);
        if (type == TcpFrame.MESSAGE || type == TcpFrame.RESIDENT) {
            if (body < 0 || body > INPUT_BYTES - TcpFrame.HEADER_BYTES) {
                throw new MalformedMessageException("a message of " + body + " bytes");
            }
            if (input.remaining() < TcpFrame.HEADER_BYTES + body) {
                return false;
            }
            input.position(start + TcpFrame.HEADER_BYTES + body);
            ByteBuffer message = input.slice(start + TcpFrame.HEADER_BYTES, body);
            if (type == TcpFrame.RESIDENT) {
                handler.resident(message);
            } else {
                handler.message(ByteBuffer.allocate(body).put(message).flip());
            }
            return true;
        }
        if (type != TcpFrame.DATA && type != TcpFrame.ATTACHED) {
            throw new MalformedMessageException("an answer of type " + type);
        }
        TransferStatus status = TcpFrame.status(input.get(start + TcpFrame.STATUS_AT));
        TcpRequest tcpRequest = handler.find(input.getLong(start + TcpFrame.NUMBER_AT));
        input.position(start + TcpFrame.HEADER_BYTES);
        int expected = tcpRequest == null || status != TransferStatus.DONE ? 0 : tcpRequest.bodyBytes;
        if (body < 0 || body > TcpFrame.MAX_ANSWER_BYTES || (tcpRequest != null && body != expected)) {
            throw new MalformedMessageException("an answer of " + body + " bytes where " + expected + " were due");
        }
        if (body == 0) {
            if (tcpRequest != null) {
                handler.done(tcpRequest, status);
            }
        } else {
            inBody = true;
            bodyLeft = body;
            current = tcpRequest;
        }
        return true;
    }
}
