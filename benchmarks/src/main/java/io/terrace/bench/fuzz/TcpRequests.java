package io.terrace.bench.fuzz;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.server.MessageHandler;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Requests over a connection to a listener that serves a range: first a right one to attach it, then the input. The listener answers the
 * right one of every input, so it survived the input before; and no session stays.
 */
final class TcpRequests implements FuzzTarget {

    private static final int RANGE_BYTES = 4096;
    private static final int PATIENCE_MS = 10_000;

    private final TcpListener listener;
    private final byte[] attach;

    TcpRequests() {
        try {
            Path file = Files.createTempFile("terrace-fuzz", ".extent");
            Files.write(file, new byte[RANGE_BYTES]);
            listener = TcpListener.open(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TcpLimits.DEFAULT, new Decoder());
            RegionKey key = listener.register(new ExtentRange(file, 64, RANGE_BYTES), ChunkChecksums.NONE).key;
            // It is open.
            Files.delete(file);
            attach = frame(
                    TcpFrame.ATTACH,
                    ByteBuffer.allocate(TcpFrame.ATTACH_BYTES)
                            .putLong(key.high())
                            .putLong(key.low())
                            .putLong(key.address())
                            .putLong(key.lengthBytes())
                            .put((byte) 0)
                            .array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] frame(byte type, byte[] body) {
        return ByteBuffer.allocate(TcpFrame.HEADER_BYTES + body.length)
                .putInt(body.length)
                .put(type)
                .put((byte) 0)
                .putShort((short) 0)
                .putLong(1)
                .put(body)
                .array();
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (byte[] message : GrantMessages.valid()) {
            seeds.add(frame(TcpFrame.MESSAGE, message));
        }
        ByteBuffer read = ByteBuffer.allocate(TcpFrame.READ_BYTES);
        read.putInt(0).putLong(0).putInt(100);
        seeds.add(frame(TcpFrame.READ, read.array()));
        seeds.add(frame(TcpFrame.DETACH, new byte[TcpFrame.DETACH_BYTES]));
        seeds.add(frame(TcpFrame.ATTACH, new byte[TcpFrame.ATTACH_BYTES]));
        seeds.add(TcpFrame.startWrites().array());
        return seeds;
    }

    @Override
    public void read(byte[] input) throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.address();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(PATIENCE_MS);
            // Else a port that waits is left over by each.
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write(attach);
            byte[] answer = socket.getInputStream().readNBytes(TcpFrame.HEADER_BYTES + TcpFrame.ATTACHED_BYTES);
            FuzzTarget.require(
                    answer.length == TcpFrame.HEADER_BYTES + TcpFrame.ATTACHED_BYTES
                            && answer[TcpFrame.TYPE_AT] == TcpFrame.ATTACHED,
                    "a right request is not answered any more");
            try {
                socket.getOutputStream().write(input);
                socket.shutdownOutput();
                long ended = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                FuzzTarget.require(ended >= 0, "no end");
            } catch (IOException e) {
                FuzzTarget.require(!(e instanceof SocketTimeoutException), "a session neither answers nor ends");
            }
        }
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (listener.connections() > 0) {
            FuzzTarget.require(System.nanoTime() < deadlineNs, "a session stays");
            Thread.onSpinWait();
        }
    }

    /** Decodes messages, as the dispatcher does. */
    private static final class Decoder implements MessageHandler {
        @Override
        public void message(TcpSession session, ByteBuffer message) throws MalformedMessageException {
            FuzzTarget.require(MessageCodec.decode(message) != null, "no message");
        }

        @Override
        public void refused() {}

        @Override
        public void cut() {}

        @Override
        public void ended(TcpSession session) {}
    }
}
