package io.terrace.channel;

import io.terrace.channel.shm.FramedSocket;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Speaks the control protocol step by step, or breaks it. */
public final class RawClient implements AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private final FramedSocket socket;

    public RawClient(Path where) throws IOException {
        this.socket = FramedSocket.connect(UnixDomainSocketAddress.of(where), TIMEOUT_NS);
    }

    public Message.Welcome hello(String name) throws IOException {
        say(new Message.Hello(name));
        return (Message.Welcome) hear();
    }

    public void say(Message message) throws IOException {
        socket.send(MessageCodec.encode(message), TIMEOUT_NS);
    }

    public void sayBytes(byte[] bytes) throws IOException {
        socket.send(ByteBuffer.wrap(bytes), TIMEOUT_NS);
    }

    public Message hear() throws IOException {
        ByteBuffer frame = socket.receive(TIMEOUT_NS);
        if (frame == null) {
            throw new IOException("nothing heard in time");
        }
        return MessageCodec.decode(frame);
    }

    public Message ask(long requestId, BlockKey block) throws IOException {
        say(new Message.Ask(requestId, new GrantRequest(block, new byte[0], false)));
        return hear();
    }

    public String peerUser() throws IOException {
        return socket.peerUser();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
