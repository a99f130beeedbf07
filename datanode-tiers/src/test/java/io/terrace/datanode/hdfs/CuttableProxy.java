package io.terrace.datanode.hdfs;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** Stands between clients and a port of this host, and can cut the connections that it forwards, or hold what they carry. */
final class CuttableProxy implements Closeable {
    private record Pair(Socket client, Socket server) {
        void cut() {
            try {
                client.close();
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private final int port;
    private volatile boolean held;

    CuttableProxy(int port) throws IOException {
        this.port = port;
        run(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many were accepted so far. */
    int accepted() {
        return pairs.size();
    }

    /** Whether nothing is forwarded for now. */
    void hold(boolean all) {
        held = all;
    }

    void cutNewest() {
        pairs.get(pairs.size() - 1).cut();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        pairs.forEach(Pair::cut);
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Pair pair = new Pair(client, new Socket(InetAddress.getLoopbackAddress(), port));
            pairs.add(pair);
            run(() -> forward(pair.client(), pair.server()));
            run(() -> forward(pair.server(), pair.client()));
        }
    }

    private void forward(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            for (int count = from.getInputStream().read(buffer);
                    count >= 0;
                    count = from.getInputStream().read(buffer)) {
                while (held && !listener.isClosed()) {
                    LockSupport.parkNanos(10_000_000);
                }
                to.getOutputStream().write(buffer, 0, count);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Ends when a socket of its own is closed. */
    private static void run(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // Cut, or closed at the end of the test.
                    }
                },
                "cuttable-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
