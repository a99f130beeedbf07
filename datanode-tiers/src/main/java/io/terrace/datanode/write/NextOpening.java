package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Opens a block at the next DataNode and waits for its answer. Used by one thread; {@link #close} leaves the connection open. */
public final class NextOpening implements Closeable {
    private final WriteConnection connection;
    private final long deadlineNs;
    private final Selector selector;

    /** @param timeoutNs the longest that an answer may take */
    public NextOpening(WriteConnection connection, long timeoutNs) throws IOException {
        this.connection = connection;
        this.deadlineNs = System.nanoTime() + timeoutNs;
        this.selector = Selector.open();
        boolean registered = false;
        try {
            connection.register(selector);
            registered = true;
        } finally {
            if (!registered) {
                selector.close();
            }
        }
    }

    /**
     * Opens a block.
     *
     * @param request Hadoop's {@code OpWriteBlockProto}
     * @param flags of the OPEN frame
     * @return its answer, Hadoop's {@code BlockOpResponseProto}
     */
    public byte[] open(byte[] request, byte flags) throws IOException {
        ByteBuffer frame = frame(request, flags, 0);
        while (true) {
            connection.awaitOutput(!connection.send(frame));
            connection.fill();
            WriteConnection.Received answer = connection.next();
            if (answer == null) {
                await();
                continue;
            }
            byte type = answer.frame().type();
            if (type != WriteFrame.OPENED && type != WriteFrame.FAILED) {
                throw new MalformedMessageException("a frame of type " + type + " as answer to an open");
            }
            connection.deregister(selector);
            return body(answer);
        }
    }

    /**
     * Opens a block and sends all of it.
     *
     * @param isOpen whether an answer says that the block is open, and no more: as an older DataNode says it
     * @return null when all from that DataNode on have finalised the block; else what it answers, as {@link #open}
     */
    public byte @Nullable [] write(byte[] request, byte flags, WholeBlock whole, Predicate<byte[]> isOpen)
            throws IOException {
        ByteBuffer open = frame(request, flags, whole.dataBytes());
        ByteBuffer data = whole.frame();
        boolean opened = false;
        while (true) {
            boolean sent = exchange(opened, open, data);
            connection.awaitOutput(!sent);
            for (WriteConnection.Received got = connection.next(); got != null; got = connection.next()) {
                byte type = got.frame().type();
                if (type == WriteFrame.ACK && sent) {
                    if (isEverywhere(got, whole)) {
                        connection.deregister(selector);
                        return null;
                    }
                } else if (type == WriteFrame.OPENED || type == WriteFrame.FAILED) {
                    byte[] answer = body(got);
                    if (type == WriteFrame.FAILED || !isOpen.test(answer)) {
                        return answer;
                    }
                    opened = true;
                } else {
                    throw new MalformedMessageException("a frame of type " + type + " as answer to a block");
                }
            }
            await();
        }
    }

    /**
     * Sends what can be sent, and takes in what there is. Where it had opened the block, it is not without a channel.
     *
     * @return whether all is sent
     */
    private boolean exchange(boolean opened, ByteBuffer open, ByteBuffer data) throws IOException {
        try {
            boolean sent = connection.send(open, data);
            connection.fill();
            return sent;
        } catch (ConnectionEndedException e) {
            throw opened ? new IOException("ended the connection within the block", e) : e;
        }
    }

    private static boolean isEverywhere(WriteConnection.Received got, WholeBlock whole)
            throws MalformedMessageException {
        WriteAck ack = WriteAck.decode(got.frame(), got.body());
        if (got.frame().number() != whole.number() || ack.writtenBytes() != whole.dataBytes()) {
            throw new MalformedMessageException("acknowledged " + ack.writtenBytes() + " bytes to frame "
                    + got.frame().number() + " of a block of " + whole.dataBytes() + " bytes");
        }
        return got.frame().has(WriteFrame.ALL_FINALIZED);
    }

    private static ByteBuffer frame(byte[] request, byte flags, int wholeBytes) {
        ByteBuffer frame = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + request.length);
        new WriteFrame(request.length, WriteFrame.OPEN, flags, wholeBytes).encode(frame);
        return frame.put(request).flip();
    }

    private static byte[] body(WriteConnection.Received answer) {
        byte[] body = new byte[answer.body().remaining()];
        answer.body().get(body);
        return body;
    }

    private void await() throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        if (leftMs <= 0) {
            throw new SocketTimeoutException("did not open the block in time");
        }
        selector.select(leftMs);
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while the next DataNode opens the block");
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
