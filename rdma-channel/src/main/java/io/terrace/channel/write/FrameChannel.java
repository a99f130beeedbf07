package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One end of a write connection: frames over a blocking channel, a Unix socket's or tcp's.
 *
 * <p>One thread at a time receives, one at a time sends; they may be two. A blocking channel has no timeouts. So another
 * thread asks {@link #isStalled} now and then and closes the channel, which ends the call that waits. An interrupt closes
 * it too.
 *
 * <p>The data of a frame with {@link WriteFrame#LANDED} comes from the connection's {@link LandingWindow}, all else from
 * the channel.
 */
public final class FrameChannel implements Closeable {
    private final SocketChannel channel;

    /** Came with the request to write; taken before anything is read. */
    private final ByteBuffer early;

    /** Taken before that. */
    private ByteBuffer unread = ByteBuffer.allocate(0);

    private final ByteBuffer header = ByteBuffer.allocateDirect(WriteFrame.HEADER_BYTES);
    private final CallClock receiving = new CallClock();
    private final CallClock sending = new CallClock();

    /** Guards it against being opened while the channel is closed. */
    private final Object windowLock = new Object();

    private @Nullable LandingWindow window;
    private boolean closed;

    /** Where the data of the frame that is being received goes on in the window; negative where it is in the channel. */
    private int landedAt = -1;

    /** @param channel blocking from now on; {@link #close} closes it */
    public FrameChannel(SocketChannel channel) throws IOException {
        this(channel, ByteBuffer.allocate(0));
    }

    /** @param early bytes that were read from the channel before */
    public FrameChannel(SocketChannel channel, ByteBuffer early) throws IOException {
        channel.configureBlocking(true);
        this.channel = channel;
        this.early = early;
    }

    /**
     * Waits for the next frame.
     *
     * @return its header, whose body is to be received next; null when the other end closed the connection between two frames
     */
    public @Nullable WriteFrame receive() throws IOException {
        header.clear();
        receiving.start();
        try {
            while (header.hasRemaining()) {
                if (read(header) < 0) {
                    if (header.position() == 0) {
                        return null;
                    }
                    throw cut();
                }
            }
        } finally {
            receiving.stop();
        }
        return WriteFrame.decode(header.flip());
    }

    /** Fills a buffer from its position to its limit with bytes of the body, and leaves its position at the limit. */
    public void receiveBody(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            receiving.start();
            try {
                if (read(into) < 0) {
                    throw cut();
                }
            } finally {
                receiving.stop();
            }
        }
    }

    /**
     * The data of a frame comes next, by {@link #receiveData}.
     *
     * @param dataBytes that it has
     */
    public void beginData(WriteFrame frame, int dataBytes) throws IOException {
        landedAt = frame.has(WriteFrame.LANDED) ? awaitLanded(dataBytes) : -1;
    }

    private int awaitLanded(int dataBytes) throws IOException {
        LandingWindow landing = window();
        if (landing == null) {
            throw new MalformedMessageException("data that landed where no window was given");
        }
        receiving.start();
        try {
            LandingWindow.Place place = landing.next();
            if (place.bytes() != dataBytes) {
                throw new MalformedMessageException(
                        place.bytes() + " bytes landed for a frame of " + dataBytes + " bytes");
            }
            return place.at();
        } finally {
            receiving.stop();
        }
    }

    /** Fills a buffer from its position to its limit with data of the frame, and leaves its position at the limit. */
    public void receiveData(ByteBuffer into) throws IOException {
        LandingWindow landing = landedAt < 0 ? null : window();
        if (landing == null) {
            receiveBody(into);
            return;
        }
        int bytes = into.remaining();
        landing.read(landedAt, into);
        landedAt += bytes;
    }

    private @Nullable LandingWindow window() {
        synchronized (windowLock) {
            return window;
        }
    }

    /**
     * From now on the client may let data land there. It is closed with this channel, or at once if that is closed.
     *
     * @throws MalformedMessageException when there is one already
     */
    public void landIn(LandingWindow landing) throws IOException {
        boolean late;
        boolean second;
        synchronized (windowLock) {
            late = closed;
            second = window != null;
            if (!late && !second) {
                window = landing;
            }
        }
        if (late || second) {
            landing.close();
        }
        if (second) {
            throw new MalformedMessageException("a second window on one connection");
        }
    }

    /** Lets a frame that was received whole be received again; the buffer is this channel's until that is done. */
    public void unread(ByteBuffer frame) {
        unread = frame;
    }

    /** Receives what there is, at least a byte; false at the end. */
    public boolean receiveSome(ByteBuffer into) throws IOException {
        receiving.start();
        try {
            return read(into) >= 0;
        } finally {
            receiving.stop();
        }
    }

    /** Sends what remains of a buffer. */
    public void send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            sending.start();
            try {
                int unused = channel.write(bytes);
            } finally {
                sending.stop();
            }
        }
    }

    /** Whether a call that receives or sends has waited for so long without a byte. */
    public boolean isStalled(long nowNs, long timeoutNs) {
        return receiving.isLongerThan(nowNs, timeoutNs) || sending.isLongerThan(nowNs, timeoutNs);
    }

    /** Ends calls in progress with an exception. Any thread. */
    @Override
    public void close() throws IOException {
        LandingWindow landing;
        synchronized (windowLock) {
            closed = true;
            landing = window;
        }
        if (landing == null) {
            channel.close();
        } else {
            CloseAll.all(channel, landing);
        }
    }

    public SocketChannel channel() {
        return channel;
    }

    private int read(ByteBuffer into) throws IOException {
        ByteBuffer first = unread.hasRemaining() ? unread : early;
        if (!first.hasRemaining()) {
            return channel.read(into);
        }
        int count = Math.min(first.remaining(), into.remaining());
        into.put(into.position(), first, first.position(), count).position(into.position() + count);
        first.position(first.position() + count);
        return count;
    }

    private static EOFException cut() {
        return new EOFException("the other side is gone within a frame");
    }
}
