package io.terrace.channel.shm;

import io.terrace.channel.FrameDecoder;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Frames over a stream socket, with deadlines. Any thread may send; one thread at a time receives.
 *
 * <p>Control messages are far smaller than a socket's buffer, so a send that has to wait is the exception and polls.
 */
public final class FramedSocket implements Closeable {
    private static final long PAUSE_NS = 50_000;
    private static final long FULL_QUEUE_PAUSE_NS = 10_000_000;

    private final SocketChannel channel;
    private final Selector selector;
    private final FrameDecoder input = new FrameDecoder();

    /** Takes over a connected channel. */
    public FramedSocket(SocketChannel channel) throws IOException {
        this.channel = channel;
        try {
            channel.configureBlocking(false);
            this.selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Connects in time or throws. Waits for a listener that accepts nothing, also where its queue of connections is full. */
    public static FramedSocket connect(SocketAddress where, long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            SocketChannel channel = where instanceof UnixDomainSocketAddress
                    ? SocketChannel.open(StandardProtocolFamily.UNIX)
                    : SocketChannel.open();
            try {
                channel.configureBlocking(false);
                if (!channel.connect(where)) {
                    while (!channel.finishConnect()) {
                        pauseUntil(deadlineNs, PAUSE_NS);
                    }
                }
                return new FramedSocket(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                if (!isQueueFull(where, e)) {
                    throw e;
                }
            }
            pauseUntil(deadlineNs, FULL_QUEUE_PAUSE_NS);
        }
    }

    /**
     * Linux answers EAGAIN at once if the queue of a Unix socket is full. Java has no exception of its own for it; of the
     * other failures without one, most are of a socket that is not there.
     */
    private static boolean isQueueFull(SocketAddress where, Exception e) {
        return e.getClass() == SocketException.class
                && where instanceof UnixDomainSocketAddress socket
                && Files.isWritable(socket.getPath());
    }

    /** The user on the other end of a Unix socket as the kernel knows it; null for other sockets. */
    public @Nullable String peerUser() throws IOException {
        if (!channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)) {
            return null;
        }
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    }

    /** Sends all of a frame, its length before it as {@code MessageCodec.encode} makes it. */
    public synchronized void send(ByteBuffer frame, long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            channel.write(frame);
            if (!frame.hasRemaining()) {
                return;
            }
            pauseUntil(deadlineNs, PAUSE_NS);
        }
    }

    /** The next frame without its length; null when none came in time or {@link #wakeup} was called. */
    public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            ByteBuffer frame = input.next();
            if (frame != null) {
                return frame;
            }
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            int ready = leftMs > 0 ? selector.select(leftMs) : selector.selectNow();
            selector.selectedKeys().clear();
            if (ready == 0) {
                return null;
            }
            if (input.fill(channel) < 0) {
                throw new EOFException("the other side is gone");
            }
        }
    }

    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public void close() throws IOException {
        try (selector) {
            channel.close();
        }
    }

    private static void pauseUntil(long deadlineNs, long pauseNs) throws IOException {
        if (System.nanoTime() - deadlineNs > 0) {
            throw new SocketTimeoutException("the other side does not answer in time");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new java.io.InterruptedIOException("interrupted while waiting for the other side");
        }
        LockSupport.parkNanos(pauseNs);
    }
}
