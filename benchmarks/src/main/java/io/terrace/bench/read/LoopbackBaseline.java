package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Sends the bytes of a file on tmpfs over a loopback connection, without request, checksum or protocol. The sender's
 * direct buffer has the size that the DataNode uses; the receiver uses the reader's own.
 */
final class LoopbackBaseline implements InterleavedRuns.Probe, Closeable {
    private static final int SEND_BYTES = 256 << 10;

    private final Path file;
    private final long fileBytes;
    private final ByteBuffer target;
    private final ServerSocketChannel server;

    /** @param file sent from its beginning for every connection */
    LoopbackBaseline(Path file, long fileBytes, int bufferBytes) throws IOException {
        this.file = file;
        this.fileBytes = fileBytes;
        this.target = ByteBuffer.wrap(new byte[bufferBytes]);
        this.server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread sender = new Thread(this::serve, "bench-sender");
        sender.setDaemon(true);
        sender.start();
    }

    /** Nanoseconds per byte, connecting included, as {@code SequentialReads} counts opening. */
    @Override
    public double cost(Client client, int round) throws IOException {
        long startNs = System.nanoTime();
        try (SocketChannel from = SocketChannel.open(server.getLocalAddress())) {
            for (long left = fileBytes; left > 0; ) {
                target.clear().limit((int) Math.min(target.capacity(), left));
                int got = from.read(target);
                if (got < 0) {
                    throw new EOFException(left + " bytes are missing");
                }
                left -= got;
            }
        }
        return (double) (System.nanoTime() - startNs) / fileBytes;
    }

    private void serve() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(SEND_BYTES);
        while (true) {
            try (SocketChannel to = server.accept();
                    FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
                to.setOption(StandardSocketOptions.TCP_NODELAY, true);
                send(from, to, buffer);
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException receiverGone) {
                // The reader sees the end of the connection and reports it.
            }
        }
    }

    private void send(FileChannel from, SocketChannel to, ByteBuffer buffer) throws IOException {
        for (long at = 0; at < fileBytes; ) {
            int got = from.read(buffer.clear().limit((int) Math.min(SEND_BYTES, fileBytes - at)), at);
            if (got < 0) {
                throw new EOFException("the file is shorter than it was");
            }
            at += got;
            buffer.flip();
            while (buffer.hasRemaining()) {
                int unused = to.write(buffer);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
