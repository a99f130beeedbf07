package io.terrace.datanode.write;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.LandingWindows;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteThrough;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A DataNode that keeps blocks in files and sends them on, without HDFS. */
final class WriteNode implements BlockStore, Closeable {
    static final int CHUNK_BYTES = 512;
    static final int MOST_BYTES = 64 << 20;
    static final int FIRST_SUM_AT = 7;
    static final long LAG_BYTES = 1 << 20;

    final MetricRegistry figures = new MetricRegistry();
    final List<Block> blocks = new CopyOnWriteArrayList<>();
    final List<WriteConnection> givenBack = new CopyOnWriteArrayList<>();
    private final ServerSocketChannel listener;
    private final WriteService service;
    private final Path directory;
    private final @Nullable InetSocketAddress next;
    private final long answerTimeoutNs;

    /** Of blocks that are opened from now on. */
    volatile PipelineEvents events = PipelineEvents.NONE;

    /** What happens when one of them is finalised. */
    interface Ending {
        void happens() throws IOException;
    }

    /** Of blocks that are opened from now on. */
    volatile Ending ending = () -> {};

    /** What a block has when it is opened, as after a recovery. */
    volatile byte[] startsWith = new byte[0];

    /** What all DataNodes have of it then. */
    volatile long recoveredBytes;

    /** @param lagBytes no more is received while the next one lacks more than that */
    WriteNode(Path directory, String name, @Nullable InetSocketAddress next, long answerTimeoutNs, long lagBytes)
            throws IOException {
        this(directory, name, next, answerTimeoutNs, lagBytes, TimeUnit.MINUTES.toNanos(5), LandingWindows.NONE);
    }

    /**
     * A DataNode with landing windows.
     *
     * @param silenceNs a client that is silent for so long is cut
     */
    WriteNode(
            Path directory,
            String name,
            @Nullable InetSocketAddress next,
            long answerTimeoutNs,
            long lagBytes,
            long silenceNs,
            LandingWindows windows)
            throws IOException {
        this.directory = Files.createDirectory(directory.resolve(name));
        this.next = next;
        this.answerTimeoutNs = answerTimeoutNs;
        WriteLimits limits = new WriteLimits(16, silenceNs, TimeUnit.MINUTES.toNanos(5), lagBytes);
        service = new WriteService(name, this, limits, new WriteMeter(figures), windows);
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        DaemonThreads.make("accepts-" + name, this::accept).start();
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    void evict() {
        service.evict();
    }

    int connections() {
        return service.connections();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                ByteBuffer hello = ByteBuffer.allocate(TcpFrame.HEADER_BYTES);
                new FrameChannel(connection).receiveBody(hello);
                boolean takesOffer = hello.getLong(TcpFrame.NUMBER_AT) == 1;
                service.accept(new AcceptedConnection(
                        connection, ByteBuffer.allocate(0), "client", "node", takesOffer, () -> {}));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void finaliseSynced(byte[] request, Client client) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable OpenBlock open(byte[] request, WriteThrough through, @Nullable WholeBlock whole, Client client)
            throws IOException {
        if (whole != null) {
            return openWhole(request, through, whole);
        }
        Block block =
                new Block(directory.resolve("block-" + blocks.size()), startsWith, recoveredBytes, events, ending);
        if (next != null) {
            WriteConnection connection =
                    WriteConnection.connect("next", next, TcpFrame.startWrites(), TimeUnit.MINUTES.toNanos(1));
            String answer;
            try (NextOpening opening = new NextOpening(connection, TimeUnit.MINUTES.toNanos(1))) {
                answer = text(opening.open(request, through.next().flags()));
            }
            if (!answer.equals("yes")) {
                connection.close();
                block.close();
                throw NextNodeException.said("next", answer.getBytes(StandardCharsets.UTF_8));
            }
            block.next = new NextNode(connection, "next", answerTimeoutNs, answerTimeoutNs / 2, givenBack::add);
        }
        blocks.add(block);
        return block;
    }

    private Block openWhole(byte[] request, WriteThrough through, WholeBlock whole) throws IOException {
        whole.receive(CHUNK_BYTES);
        if (next != null) {
            WriteConnection connection =
                    WriteConnection.connect("next", next, TcpFrame.startWrites(), TimeUnit.MINUTES.toNanos(1));
            try (connection;
                    NextOpening opening = new NextOpening(connection, TimeUnit.MINUTES.toNanos(1))) {
                byte[] answer = opening.write(request, through.next().flags(), whole, said -> text(said)
                        .equals("yes"));
                if (answer != null) {
                    throw NextNodeException.said("next", answer);
                }
                whole.sentOn();
            }
        }
        Block block = new Block(directory.resolve("block-" + blocks.size()), new byte[0], 0, events, ending);
        blocks.add(block);
        return block;
    }

    static String text(byte[] answer) {
        return new String(answer, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] success() {
        return "yes".getBytes(StandardCharsets.UTF_8);
    }

    /** Says who is at fault, then why. */
    @Override
    public byte[] refusal(Throwable why) {
        String said = why instanceof NextNodeException next ? next.address() + ": " + text(next.answer()) + " " : "";
        return (said + why.getMessage()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void blockBegun() {
        // Not counted.
    }

    @Override
    public void blockEnded() {
        // Not counted.
    }

    @Override
    public void close() throws IOException {
        listener.close();
        service.close();
        for (WriteConnection each : givenBack) {
            each.close();
        }
    }

    /** A block in two files. */
    static final class Block implements OpenBlock {
        final Thread writer = Thread.currentThread();
        final Path dataFile;
        final Path sumFile;
        private final FileChannel data;
        private final FileChannel sums;
        private final ChunkVerifier verifier = ChunkVerifier.JDK.of(ChecksumType.CRC32C, CHUNK_BYTES);
        private final long recoveredBytes;
        private final PipelineEvents events;
        private final Ending ending;
        private @Nullable NextNode next;
        volatile long lengthBytes;
        volatile long acknowledged;
        volatile int syncs;
        volatile boolean finished;
        volatile boolean left;

        Block(Path dataFile, byte[] startsWith, long recoveredBytes, PipelineEvents events, Ending ending)
                throws IOException {
            this.recoveredBytes = recoveredBytes;
            this.events = events;
            this.ending = ending;
            this.dataFile = dataFile;
            this.sumFile = dataFile.resolveSibling(dataFile.getFileName() + ".sums");
            data = FileChannel.open(dataFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            sums = FileChannel.open(sumFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            put(0, ByteBuffer.wrap(startsWith), Frames.sums(startsWith, 0, startsWith.length));
        }

        private void put(long offset, ByteBuffer bytes, ByteBuffer itsSums) throws IOException {
            long end = offset + bytes.remaining();
            data.write(bytes, offset);
            sums.write(itsSums, FIRST_SUM_AT + offset / CHUNK_BYTES * WriteData.SUM_BYTES);
            lengthBytes = Math.max(lengthBytes, end);
        }

        byte[] contents() throws IOException {
            return Files.readAllBytes(dataFile);
        }

        ByteBuffer contentsSums() throws IOException {
            byte[] all = Files.readAllBytes(sumFile);
            return ByteBuffer.wrap(all, FIRST_SUM_AT, all.length - FIRST_SUM_AT).slice();
        }

        @Override
        public @Nullable NextNode next() {
            return next;
        }

        @Override
        public boolean isFirst() {
            return true;
        }

        @Override
        public PipelineEvents events() {
            return events;
        }

        @Override
        public WrittenFiles files() throws IOException {
            return new WrittenFiles(dataFile, sumFile, FIRST_SUM_AT, CHUNK_BYTES);
        }

        @Override
        public int chunkBytes() {
            return CHUNK_BYTES;
        }

        @Override
        public long mostBytes() {
            return MOST_BYTES;
        }

        @Override
        public long lengthBytes() {
            return lengthBytes;
        }

        @Override
        public long recoveredBytes() {
            return recoveredBytes;
        }

        @Override
        public void write(long offset, ByteBuffer bytes, ByteBuffer itsSums) throws IOException {
            if (verifier.firstWrong(bytes.duplicate(), itsSums.duplicate()) >= 0) {
                throw new IOException("wrong checksum");
            }
            if (offset + bytes.remaining() > lengthBytes) {
                put(offset, bytes, itsSums);
            }
        }

        @Override
        public void sync() {
            syncs++;
        }

        @Override
        public void received() {
            // Not counted.
        }

        @Override
        public void acknowledge(long bytes) {
            acknowledged = Math.max(acknowledged, bytes);
        }

        @Override
        public void finish(boolean synced) throws IOException {
            ending.happens();
            finished = true;
        }

        @Override
        public void close() throws IOException {
            left = !finished;
            if (left && next != null) {
                next.close();
            }
            data.close();
            sums.close();
        }
    }
}
