package io.terrace.channel.tcp.server;

import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the messages that reach a listener until a test takes them. So many that wait pause their session, as the
 * production's calls do.
 */
public final class ReceivedMessages implements MessageHandler {
    private static final int MAX_WAITING = 64;

    private record Received(TcpSession session, ByteBuffer message) {}

    private final LinkedBlockingQueue<Received> received = new LinkedBlockingQueue<>();

    /** Waits for the next message and says which session it came over; null when none came in time. */
    public @Nullable TcpSession nextSession(long timeoutNs) throws InterruptedException {
        Received next = received.poll(timeoutNs, TimeUnit.NANOSECONDS);
        return next == null ? null : next.session;
    }

    /** Waits for the next message of any session; null when none came in time. */
    public @Nullable ByteBuffer next(long timeoutNs) throws InterruptedException {
        Received next = received.poll(timeoutNs, TimeUnit.NANOSECONDS);
        return next == null ? null : next.message;
    }

    @Override
    public void message(TcpSession session, ByteBuffer message) {
        received.add(new Received(session, message));
        if (received.size() >= MAX_WAITING) {
            session.pauseInput();
        }
    }

    @Override
    public void refused() {}

    @Override
    public void cut() {}

    @Override
    public void ended(TcpSession session) {}
}
