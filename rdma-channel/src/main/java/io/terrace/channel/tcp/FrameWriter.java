package io.terrace.channel.tcp;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes whole frames to a socket, one at a time. Thread-safe.
 *
 * <p>Requests in flight are bounded and far smaller than a socket's buffer. So a write rarely has to wait, and polls
 * then.
 */
final class FrameWriter {
    private static final long PAUSE_NS = 50_000;

    private final SocketChannel channel;
    private final ReentrantLock sending = new ReentrantLock();
    private final ByteBuffer frame = ByteBuffer.allocateDirect(TcpFrame.MAX_REQUEST_BYTES);

    FrameWriter(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Sends a frame, all of it.
     *
     * @throws IOException when that does not work in time; the connection is of no more use then
     */
    void send(byte type, long number, ByteBuffer body, long deadlineNs) throws IOException {
        sending.lock();
        try {
            frame.clear();
            frame.putInt(body.remaining())
                    .put(type)
                    .put((byte) 0)
                    .putShort((short) 0)
                    .putLong(number);
            frame.put(body).flip();
            while (true) {
                channel.write(frame);
                if (!frame.hasRemaining()) {
                    return;
                }
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new SocketTimeoutException("the other side takes no requests");
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        } finally {
            sending.unlock();
        }
    }
}
