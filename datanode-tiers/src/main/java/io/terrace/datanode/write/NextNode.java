package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.channel.write.WriteThrough;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The next DataNode of a block, where the block is open too.
 *
 * @param address its transfer address
 * @param answerTimeoutNs the longest that it may be silent while it owes an answer
 * @param keepAliveNs the longest that it may hear nothing, so that it does not take this DataNode for dead
 * @param unused takes the connection when the block is finalised
 */
public record NextNode(
        WriteConnection connection,
        String address,
        long answerTimeoutNs,
        long keepAliveNs,
        Consumer<WriteConnection> unused)
        implements Closeable {

    /**
     * Opens a block at a DataNode and waits for its answer.
     *
     * @param request Hadoop's {@code OpWriteBlockProto}
     * @param through the copies in memory that it is asked for
     * @return its answer, Hadoop's {@code BlockOpResponseProto}
     */
    public static byte[] open(WriteConnection connection, byte[] request, WriteThrough through, long timeoutNs)
            throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + request.length);
        new WriteFrame(request.length, WriteFrame.OPEN, through.flags(), 0).encode(frame);
        frame.put(request).flip();
        long deadlineNs = System.nanoTime() + timeoutNs;
        try (Selector selector = Selector.open()) {
            connection.register(selector);
            while (true) {
                connection.awaitOutput(!connection.send(frame));
                connection.fill();
                WriteConnection.Received answer = connection.next();
                if (answer != null) {
                    connection.deregister(selector);
                    return body(answer);
                }
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
        }
    }

    private static byte[] body(WriteConnection.Received answer) throws MalformedMessageException {
        byte type = answer.frame().type();
        if (type != WriteFrame.OPENED && type != WriteFrame.FAILED) {
            throw new MalformedMessageException("a frame of type " + type + " as answer to an open");
        }
        byte[] body = new byte[answer.body().remaining()];
        answer.body().get(body);
        return body;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
