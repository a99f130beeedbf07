package io.terrace.bench.write;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * A process of a chain that does the least that three replicas need: it receives a file piece by piece, computes the checksum of
 * each chunk, writes data and checksums to two files, and sends the piece on. No frames, no protocol, no NameNode. When it and
 * all after it have the file, it says so.
 */
final class NioChainNode {
    /** What it says when it listens, before the port. */
    static final String LISTENS = "listens on ";

    /** For {@link #main} at the chain's end. */
    static final int NO_NEXT = 0;

    /** The fastest of 64 KB to 1 MB, as for the DataNode. */
    private static final int PIECE_BYTES = 256 << 10;

    private static final int CHUNK_BYTES = 512;

    private final Path dir;
    private final SocketChannel from;
    private final @Nullable SocketChannel to;
    private final DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK_BYTES);
    private final ByteBuffer data = ByteBuffer.allocateDirect(PIECE_BYTES);
    private final ByteBuffer sums = ByteBuffer.allocateDirect(PIECE_BYTES / CHUNK_BYTES * checksum.getChecksumSize());
    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);

    private NioChainNode(Path dir, SocketChannel from, @Nullable SocketChannel to) {
        this.dir = dir;
        this.from = from;
        this.to = to;
    }

    /** Takes the directory of the files and the port of the next one. */
    public static void main(String[] words) throws IOException {
        int next = Integer.parseInt(words[1]);
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            System.out.println(LISTENS + server.socket().getLocalPort());
            try (SocketChannel to = next == NO_NEXT ? null : connect(next);
                    SocketChannel from = server.accept()) {
                from.setOption(StandardSocketOptions.TCP_NODELAY, true);
                NioChainNode node = new NioChainNode(Path.of(words[0]), from, to);
                while (node.file()) {
                    node.number.clear();
                }
            }
        }
    }

    static SocketChannel connect(int port) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    static Path dataFile(Path dir) {
        return dir.resolve("data");
    }

    static Path sumFile(Path dir) {
        return dir.resolve("sums");
    }

    /** A length first, then the file; answered by the length. False when there is none any more. */
    private boolean file() throws IOException {
        if (!receive(number)) {
            return false;
        }
        pass(number.flip());
        try (FileChannel dataFile = create(dataFile(dir));
                FileChannel sumFile = create(sumFile(dir))) {
            long left = number.getLong(0);
            while (left > 0) {
                data.clear().limit((int) Math.min(PIECE_BYTES, left));
                require(receive(data));
                write(dataFile, sumFile);
                pass(data.rewind());
                left -= data.limit();
            }
        }
        if (to != null) {
            require(receive(to, number.clear()));
        }
        send(from, number.rewind());
        return true;
    }

    private void write(FileChannel dataFile, FileChannel sumFile) throws IOException {
        data.flip();
        sums.clear();
        checksum.calculateChunkedSums(data.duplicate(), sums);
        sums.position(0).limit((data.limit() + CHUNK_BYTES - 1) / CHUNK_BYTES * checksum.getChecksumSize());
        while (data.hasRemaining()) {
            int unused = dataFile.write(data);
        }
        while (sums.hasRemaining()) {
            int unused = sumFile.write(sums);
        }
    }

    private static FileChannel create(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private void pass(ByteBuffer bytes) throws IOException {
        if (to != null) {
            send(to, bytes);
        }
    }

    private boolean receive(ByteBuffer into) throws IOException {
        return receive(from, into);
    }

    /** Fills a buffer; false when the other side is gone. */
    static boolean receive(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                return false;
            }
        }
        return true;
    }

    static void send(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int unused = to.write(bytes);
        }
    }

    private static void require(boolean received) throws EOFException {
        if (!received) {
            throw new EOFException("the other side is gone within a file");
        }
    }
}
