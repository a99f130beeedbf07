package io.terrace.client.write;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.WindowOutput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** Both ends of a landing window in one process, with the device between them: memory, and announcements in order. */
final class FakeWindow implements LandingWindow, WindowOutput {
    private final RegionKey key;
    private final ByteBuffer memory;
    private final Queue<Place> announced = new ArrayDeque<>();
    private boolean closed;
    private boolean connected = true;

    /** Whether the next write fails as nobody expects. */
    volatile boolean broken;

    /** Whether the device has no room for the next write. */
    volatile boolean busy;

    FakeWindow(int bytes) {
        key = new RegionKey(1, 2, 0, bytes, Access.READ_WRITE);
        memory = ByteBuffer.allocate(bytes);
    }

    @Override
    public RegionKey key() {
        return key;
    }

    @Override
    public int bytes() {
        return memory.capacity();
    }

    @Override
    public synchronized Place next() throws IOException {
        try {
            while (!closed && announced.isEmpty()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(e.getMessage());
        }
        requireOpen();
        return announced.remove();
    }

    @Override
    public synchronized void read(int at, ByteBuffer into) throws IOException {
        requireOpen();
        into.put(memory.slice(at, into.remaining()));
    }

    private void requireOpen() throws EOFException {
        if (closed) {
            throw new EOFException("closed");
        }
    }

    @Override
    public synchronized boolean write(int at, ByteBuffer data) throws IOException {
        if (!connected) {
            throw new EOFException("disconnected");
        }
        if (broken) {
            throw new IllegalStateException("as was wanted");
        }
        if (busy) {
            return false;
        }
        memory.put(at, data, data.position(), data.remaining());
        announced.add(new Place(at, data.remaining()));
        notifyAll();
        return true;
    }

    /** The connection by RDMA ends; what was announced and not taken is lost. */
    synchronized void disconnect() {
        connected = false;
        announced.clear();
    }

    @Override
    public synchronized boolean hasEnded() {
        return !connected;
    }

    @Override
    public synchronized void close() {
        closed = true;
        connected = false;
        notifyAll();
    }
}
