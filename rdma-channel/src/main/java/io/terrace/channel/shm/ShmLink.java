package io.terrace.channel.shm;

import io.terrace.channel.MessageCodec;
import io.terrace.channel.transport.Completion;
import io.terrace.channel.transport.CompletionQueue;
import io.terrace.channel.transport.Link;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.WritableExtent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One Unix socket between two processes, and the extent files that the other side names. */
final class ShmLink implements Link {
    private static final int MAX_OUTSTANDING = 1024;

    private final FramedSocket socket;
    private final Path links;
    private final CompletionQueue completions = new CompletionQueue(MAX_OUTSTANDING);
    private final @Nullable String peerUser;
    private volatile boolean ended;

    ShmLink(FramedSocket socket, Path links) throws IOException {
        this.socket = socket;
        this.links = links;
        this.peerUser = socket.peerUser();
    }

    @Override
    public void send(ByteBuffer message, long timeoutNs) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + message.remaining());
        frame.putInt(message.remaining()).put(message).flip();
        try {
            socket.send(frame, timeoutNs);
        } catch (IOException e) {
            ended = true;
            throw e;
        }
    }

    @Override
    public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
        try {
            return socket.receive(timeoutNs);
        } catch (IOException e) {
            ended = true;
            throw e;
        }
    }

    @Override
    public void wakeup() {
        socket.wakeup();
    }

    @Override
    public @Nullable String peerUser() {
        return peerUser;
    }

    @Override
    public WritableExtent attach(RegionKey key) throws IOException {
        return new ShmRegion(this, ExtentFile.open(links.resolve(key.digits()), key.lengthBytes(), key.access()));
    }

    @Override
    public int poll(Consumer<Completion> taker, int most) {
        return completions.poll(taker, most);
    }

    CompletionQueue completions() {
        return completions;
    }

    boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() throws IOException {
        ended = true;
        socket.close();
    }
}
