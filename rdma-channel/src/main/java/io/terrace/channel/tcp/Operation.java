package io.terrace.channel.tcp;

import io.terrace.channel.Completion.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client that waits for its answer. Fields are guarded by the link's lock, but for the target: whoever
 * reads the socket fills it through {@link #take}, until {@link #abandon} gives it back to its owner.
 */
final class Operation {
    final long number;
    final long deadlineNs;

    /** What the body of the answer fills, from position to limit, exactly; moved when it is filled. */
    private final ByteBuffer target;

    /** Moved as bytes come. */
    private final ByteBuffer room;

    final int bodyBytes;

    /** Whether its end is told by poll. */
    final boolean posted;

    /** Null while it is outstanding. */
    @Nullable
    Status status;

    /** The thread that waits for it, while another reads the socket. */
    @Nullable
    Thread waiter;

    private boolean abandoned;

    Operation(long number, ByteBuffer target, boolean posted, long deadlineNs) {
        this.number = number;
        this.target = target;
        this.room = target.duplicate();
        this.bodyBytes = target.remaining();
        this.posted = posted;
        this.deadlineNs = deadlineNs;
    }

    /**
     * Fills the target with what the source has.
     *
     * @return what the step returned; -1 when the target is its owner's again
     */
    synchronized int take(FillStep step) throws IOException {
        if (abandoned) {
            return -1;
        }
        int count = step.fill(room);
        if (!room.hasRemaining()) {
            target.position(target.limit());
        }
        return count;
    }

    boolean isDirect() {
        return room.isDirect();
    }

    /** Nothing is put into the target from now on. */
    synchronized void abandon() {
        abandoned = true;
    }

    /** Moves bytes into a target and says how many. */
    interface FillStep {
        int fill(ByteBuffer target) throws IOException;
    }
}
