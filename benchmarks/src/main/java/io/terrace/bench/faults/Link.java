package io.terrace.bench.faults;

import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Passes tcp connections on from one port of this host to another, and may be cut, stalled or slowed. Thread-safe. */
public final class Link implements Closeable {
    /** What gets through. */
    public enum State {
        OPEN,
        CUT,
        STALLED,
        SLOW
    }

    private static final int PIECE_BYTES = 32 << 10;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A megabyte a second. */
    private static final long SLOW_NS = TimeUnit.SECONDS.toNanos(PIECE_BYTES) >> 20;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong connectionsMet = new AtomicLong();
    private volatile State state = State.OPEN;

    /** @param port 0 for any */
    public Link(int port, int target) throws IOException {
        this(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
    }

    /** @param listen where connections are taken */
    public Link(InetSocketAddress listen, InetSocketAddress target) throws IOException {
        this.server = new ServerSocket(listen.getPort(), 64, listen.getAddress());
        this.target = target;
        DaemonThreads.make("link-" + listen.getPort(), this::accept).start();
    }

    int port() {
        return server.getLocalPort();
    }

    public void set(State fresh) {
        if (fresh != State.OPEN) {
            // Each has two sockets.
            connectionsMet.set(sockets.size() / 2);
        }
        state = fresh;
        if (fresh == State.CUT) {
            // All at first: when one is closed, its pump closes the other one.
            sockets.forEach(Link::endByReset);
            sockets.forEach(Link::reset);
        }
    }

    /** The connections that were there when it was made to fail for the last time, or that were to be made since. */
    public long connectionsMet() {
        return connectionsMet.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                if (state != State.OPEN) {
                    connectionsMet.incrementAndGet();
                }
                if (state == State.CUT) {
                    reset(near);
                } else {
                    pass(near);
                }
            } catch (IOException closed) {
                // Or no connection to the DataNode: the client's is closed by then.
                continue;
            }
        }
    }

    private void pass(Socket near) throws IOException {
        Socket far;
        try {
            far = new Socket(target.getAddress(), target.getPort());
        } catch (IOException refused) {
            reset(near);
            return;
        }
        sockets.add(near);
        sockets.add(far);
        DaemonThreads.make("link-there-" + target.getPort(), () -> pump(near, far))
                .start();
        DaemonThreads.make("link-back-" + target.getPort(), () -> pump(far, near))
                .start();
    }

    /** Copies until one side ends; then both do. */
    private void pump(Socket from, Socket to) {
        byte[] piece = new byte[PIECE_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int got = in.read(piece); got >= 0; got = in.read(piece)) {
                while (state == State.STALLED && !to.isClosed()) {
                    LockSupport.parkNanos(LOOK_NS);
                }
                if (state == State.SLOW) {
                    LockSupport.parkNanos(SLOW_NS * got / PIECE_BYTES);
                }
                out.write(piece, 0, got);
            }
        } catch (IOException ended) {
            return;
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    /** However it is closed, the other side sees a reset, not an end. */
    private static void endByReset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException ended) {
            return;
        }
    }

    private static void reset(Socket socket) {
        try (socket) {
            endByReset(socket);
        } catch (IOException ended) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(Link::reset);
    }
}
