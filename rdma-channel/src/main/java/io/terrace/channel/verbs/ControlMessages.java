package io.terrace.channel.verbs;

import io.terrace.channel.MessageCodec;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.ControlFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Control messages as the users of a link send, await and answer them. {@link OneSidedTransfers} is the same for one-sided
 * operations. Thread-safe; messages are taken by one thread at a time.
 */
final class ControlMessages {
    private final VerbsLink link;
    private final ReentrantLock lock;
    private final Condition changed;
    private final FlowControl flowControl;
    private boolean woken;

    /** @param changed told of whatever may end a wait */
    ControlMessages(VerbsLink link, ReentrantLock lock, Condition changed, FlowControl flowControl) {
        this.link = link;
        this.lock = lock;
        this.changed = changed;
        this.flowControl = flowControl;
    }

    /** Sends a message; one that is not taken in time ends the link. */
    void send(ByteBuffer message, long timeoutNs) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        ByteBuffer left = message.duplicate();
        lock.lock();
        try {
            boolean last;
            do {
                int bytes = Math.min(left.remaining(), ControlFrame.MAX_BODY_BYTES);
                ByteBuffer body = left.slice(left.position(), bytes);
                left.position(left.position() + bytes);
                last = !left.hasRemaining();
                for (int looks = 0; !link.hasEnded() && !flowControl.maySend(); looks++) {
                    if (deadlineNs - System.nanoTime() <= 0) {
                        link.end(TransferStatus.DEADLINE);
                        throw new SocketTimeoutException("the other side does not take messages in time");
                    }
                    link.look(looks, deadlineNs);
                }
                requireOpen();
                flowControl.transmit(last ? ControlFrame.MESSAGE : ControlFrame.PART, 0, body);
            } while (!last);
            message.position(message.limit());
        } finally {
            lock.unlock();
        }
    }

    /** The next message; null when none came in time or {@link #wakeup} was called. */
    @Nullable
    ByteBuffer receive(long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            for (int looks = 0; ; looks++) {
                link.drive();
                ByteBuffer message = link.hasEnded() ? null : flowControl.takeMessage();
                if (message != null) {
                    return message;
                }
                requireOpen();
                if (woken || deadlineNs - System.nanoTime() <= 0) {
                    woken = false;
                    return null;
                }
                link.look(looks, deadlineNs);
            }
        } finally {
            lock.unlock();
        }
    }

    void wakeup() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Shows a key to the owner of its range and waits for where that is. */
    Attachment attach(RegionKey key, long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            for (int looks = 0; !link.hasEnded() && !flowControl.maySend(); looks++) {
                VerbsLink.requireTime(deadlineNs);
                link.look(looks, deadlineNs);
            }
            link.requireConnected();
            long number = flowControl.attach(key);
            try {
                return Attachment.decode(answer(number, deadlineNs), key.lengthBytes());
            } finally {
                flowControl.forget(number);
            }
        } finally {
            lock.unlock();
        }
    }

    private ByteBuffer answer(long number, long deadlineNs) throws IOException {
        for (int looks = 0; ; looks++) {
            ByteBuffer answer = flowControl.answer(number);
            if (answer != null) {
                if (Attachment.isRefusal(answer)) {
                    throw new ChannelException(TransferStatus.NO_ACCESS, "the key is void", null);
                }
                return answer;
            }
            link.requireConnected();
            VerbsLink.requireTime(deadlineNs);
            link.look(looks, deadlineNs);
        }
    }

    private void requireOpen() throws EOFException {
        if (link.hasEnded()) {
            throw new EOFException("the other side is gone");
        }
    }
}
