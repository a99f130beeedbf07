package io.terrace.channel.tcp;

import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client's request that waits for its response. Its fields are guarded by the link's lock, except for the sink: the
 * thread that reads the socket fills it through {@link #take}, until {@link #abandon} returns it to its owner.
 */
final class TcpRequest {
    /** Copying less than this costs less than a call of its own. */
    private static final int DIRECT_BYTES = 16 * 1024;

    final long number;

    private final ResponseSink responseSink;
    final int bodyBytes;

    /** Null while it is outstanding. */
    @Nullable
    TransferStatus status;

    /** The thread that waits for it, while another reads the socket. */
    @Nullable
    Thread waiter;

    private boolean abandoned;

    /** Of the thread that reads the socket: a part of the body came in whole since it asked last. */
    private boolean partLanded;

    TcpRequest(long number, ResponseSink responseSink) {
        this.number = number;
        this.responseSink = responseSink;
        this.bodyBytes = responseSink.bodyBytes();
    }

    /**
     * Lands what the source has, as far as there is room in one place.
     *
     * @return what the step returned; -1 when nothing may land any more
     */
    synchronized int take(FillStep step) throws IOException {
        if (abandoned) {
            return -1;
        }
        int count = step.fill(responseSink.room());
        partLanded |= responseSink.landed();
        return count;
    }

    /** Whether so much of the body should go from the socket to its place without a stop between. */
    synchronized boolean isDirect(int bodyLeft) throws IOException {
        return !abandoned
                && (responseSink.isStreamed()
                        || (bodyLeft >= DIRECT_BYTES && responseSink.room().isDirect()));
    }

    boolean isStreamed() {
        return responseSink.isStreamed();
    }

    /** Whether a part of the body came in whole since this was asked last, on the thread that reads the socket. */
    boolean takePartLanded() {
        boolean landed = partLanded;
        partLanded = false;
        return landed;
    }

    /** Nothing lands from now on. */
    synchronized void abandon() {
        abandoned = true;
    }

    /** Moves bytes into a target and says how many. */
    interface FillStep {
        int fill(ByteBuffer target) throws IOException;
    }
}
