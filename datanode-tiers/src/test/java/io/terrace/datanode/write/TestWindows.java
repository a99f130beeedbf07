package io.terrace.datanode.write;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.LandingWindows;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Landing windows whose device is the test: it puts bytes there and announces them, truthfully or not. */
final class TestWindows implements LandingWindows {
    static final int WINDOW_BYTES = 2 << 20;

    private static final LandingWindow.Place END = new LandingWindow.Place(0, 0);

    final List<Window> opened = new CopyOnWriteArrayList<>();
    volatile boolean full;

    @Override
    public String where() {
        return "here:1";
    }

    @Override
    public LandingWindow open(String owner) throws IOException {
        if (full) {
            throw new IOException("all windows are in use");
        }
        Window window = new Window();
        opened.add(window);
        return window;
    }

    /** One of them. */
    static final class Window implements LandingWindow {
        private final byte[] memory = new byte[WINDOW_BYTES];
        private final BlockingQueue<Place> announced = new LinkedBlockingQueue<>();
        volatile boolean closed;

        void put(int at, byte[] bytes, int from, int count) {
            System.arraycopy(bytes, from, memory, at, count);
        }

        void announce(int at, int count) {
            announced.add(new Place(at, count));
        }

        @Override
        public RegionKey key() {
            return new RegionKey(3, 4, 0, WINDOW_BYTES, Access.READ_WRITE);
        }

        @Override
        public Place next() throws IOException {
            try {
                Place next = announced.take();
                if (next == END) {
                    throw new EOFException("closed");
                }
                return next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }

        @Override
        public void read(int at, ByteBuffer into) throws IOException {
            if (closed) {
                throw new EOFException("closed");
            }
            into.put(memory, at, into.remaining());
        }

        @Override
        public void close() {
            closed = true;
            announced.add(END);
        }
    }
}
