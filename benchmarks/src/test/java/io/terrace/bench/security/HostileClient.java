package io.terrace.bench.security;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.shm.FramedSocket;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Speaks the grant protocol and nothing more: gives nothing back, acknowledges no revocation, reports what it likes. */
final class HostileClient implements AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final FramedSocket socket;
    private final Path links;
    private long requests;

    HostileClient(Path where) throws IOException {
        socket = FramedSocket.connect(UnixDomainSocketAddress.of(where), TIMEOUT_NS);
        say(new Message.Hello("hostile"));
        links = Path.of(((Message.Welcome) hear()).links());
    }

    void say(Message message) throws IOException {
        socket.send(MessageCodec.encode(message), TIMEOUT_NS);
    }

    /** Anything at all. */
    void sayBytes(byte[] bytes) throws IOException {
        socket.send(ByteBuffer.wrap(bytes), TIMEOUT_NS);
    }

    /** The answer to its question; whatever else comes in between is heard and ignored. */
    Message ask(BlockKey block, byte[] token) throws IOException {
        say(new Message.Ask(++requests, new GrantRequest(block, token, false)));
        Message answer = hear();
        while (!isToLastRequest(answer)) {
            answer = hear();
        }
        return answer;
    }

    private boolean isToLastRequest(Message answer) {
        return (answer instanceof Message.Granted granted && granted.requestId() == requests)
                || (answer instanceof Message.Refused refused && refused.requestId() == requests);
    }

    /** What is left of the lease after it asked for more, in milliseconds. */
    long renew(long grantId) throws IOException {
        say(new Message.Renew(List.of(grantId)));
        Message answer = hear();
        while (answer instanceof Message.Revoke) {
            answer = hear();
        }
        return ((Message.Renewed) answer).leases().get(0).leaseMs();
    }

    /** Opens what was granted and keeps it open. */
    FileChannel open(Grant grant) throws IOException {
        FileChannel file = FileChannel.open(links.resolve(grant.linkName()));
        say(new Message.Opened(grant.grantId()));
        return file;
    }

    /** Whether the DataNode ends this connection by itself in time; answers that come before are passed over. */
    boolean isCutBy(long deadlineNs) {
        try {
            ByteBuffer frame;
            do {
                frame = socket.receive(deadlineNs - System.nanoTime());
            } while (frame != null);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private Message hear() throws IOException {
        ByteBuffer frame = socket.receive(TIMEOUT_NS);
        if (frame == null) {
            throw new IOException("nothing heard in time");
        }
        return MessageCodec.decode(frame);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
