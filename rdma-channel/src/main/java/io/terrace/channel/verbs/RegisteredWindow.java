package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.LandingWindow;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * A landing window in registered memory. Frames are announced by the listener's thread and taken by the thread that writes
 * the replica. Thread-safe.
 */
final class RegisteredWindow implements LandingWindow {
    /** Frames that may be announced and not taken: a client has no more in a window. */
    static final int MOST_ANNOUNCED = 1024;

    /** Takes it from the device. */
    interface Deregistration {
        void run() throws IOException;
    }

    private final RegionKey key;
    private final ByteBuffer bytes;
    private final Deregistration deregistration;
    private final ArrayDeque<Place> announced = new ArrayDeque<>();
    private long lastNumber;
    private boolean closed;

    RegisteredWindow(RegionKey key, ByteBuffer memory, Deregistration deregistration) {
        this.key = key;
        this.bytes = memory;
        this.deregistration = deregistration;
    }

    @Override
    public RegionKey key() {
        return key;
    }

    /**
     * Data of a frame is there.
     *
     * @param number counts the frames of this window, from 1
     */
    synchronized void landed(long number, int at, int dataBytes) throws MalformedMessageException {
        if (closed) {
            return;
        }
        boolean inside = at >= 0 && dataBytes >= 1 && at <= bytes.capacity() - dataBytes;
        if (number != lastNumber + 1 || !inside || announced.size() >= MOST_ANNOUNCED) {
            throw new MalformedMessageException(dataBytes + " bytes at " + at + " as frame " + number
                    + " of a window of " + bytes.capacity() + " bytes, after frame " + lastNumber);
        }
        lastNumber = number;
        announced.add(new Place(at, dataBytes));
        notifyAll();
    }

    @Override
    public synchronized Place next() throws IOException {
        try {
            while (!closed && announced.isEmpty()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException thrown = new InterruptedIOException("interrupted while data was to land");
            thrown.initCause(e);
            throw thrown;
        }
        requireOpen();
        return announced.remove();
    }

    /** Under the lock: the memory is unmapped some time after it is closed. */
    @Override
    public synchronized void read(int at, ByteBuffer into) throws IOException {
        requireOpen();
        int count = into.remaining();
        into.put(into.position(), bytes, at, count).position(into.limit());
    }

    private void requireOpen() throws EOFException {
        if (closed) {
            throw new EOFException("the window is closed");
        }
    }

    /** Nothing is taken from it any more: its connection has ended, or it is to be closed. */
    synchronized boolean end() {
        boolean first = !closed;
        closed = true;
        notifyAll();
        return first;
    }

    @Override
    public void close() throws IOException {
        if (end()) {
            deregistration.run();
        }
    }
}
