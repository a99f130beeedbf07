package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.ControlFrame;
import io.terrace.channel.verbs.device.QueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The two-sided half of a link: frames out while there are credits for them, frames in, attaches and their answers.
 * Guarded by the link's lock. Whatever the other side does that the rules do not allow is a MalformedMessageException,
 * which ends the link.
 */
final class FlowControl {
    private static final int MAX_WAITING_ANSWERS = 64;

    private record Waiting(byte type, long number, ByteBuffer body) {}

    private final QueuePair pair;
    private final @Nullable PresentedKeys shown;
    private final MessageAssembler messageAssembler = new MessageAssembler();
    private final Map<Long, ByteBuffer> answers = new HashMap<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final boolean messages;
    private int credits = ControlFrame.WINDOW;
    private long lastNumber;

    /**
     * Nothing sent nor heard yet.
     *
     * @param ranges what the other side may attach; null on the side that has none
     * @param messages whether somebody takes messages; they would lie here for nobody otherwise
     */
    FlowControl(QueuePair pair, @Nullable RangeRegistry ranges, boolean messages) {
        this.messages = messages;
        this.pair = pair;
        this.shown = ranges == null ? null : new PresentedKeys(ranges, System.nanoTime());
    }

    /** Whether there is a credit and a buffer for one more frame. */
    boolean maySend() {
        return credits > 0 && pair.maySend();
    }

    void transmit(byte type, long number, ByteBuffer body) throws IOException {
        credits--;
        pair.send(type, messageAssembler.pay(), number, body);
    }

    /** Puts a frame into a buffer to be posted with others, and returns that; {@link #maySend} said that there is one. */
    int place(byte type, long number, ByteBuffer body) {
        credits--;
        return pair.place(type, messageAssembler.pay(), number, body);
    }

    /** The next message, or null. */
    @Nullable
    ByteBuffer takeMessage() throws IOException {
        ByteBuffer message = messageAssembler.take();
        if (message != null) {
            payCredits();
        }
        return message;
    }

    /** Shows a key; the answer is asked for by the number that this returns, until {@link #forget}. */
    long attach(RegionKey key) throws IOException {
        long number = ++lastNumber;
        transmit(ControlFrame.ATTACH, number, Attachment.request(key));
        answers.put(number, Attachment.refusal().limit(0));
        return number;
    }

    /** The answer to an attach, or null while there is none. */
    @Nullable
    ByteBuffer answer(long number) {
        ByteBuffer answer = answers.get(number);
        return answer != null && answer.hasRemaining() ? answer : null;
    }

    /** Whether the other side has no use for this link: it attached nothing in time, or nothing that is still good. */
    boolean isOfNoUse(long nowNs) {
        return shown != null && shown.areOver(nowNs);
    }

    /** Whether the other side has ever shown a key that led somewhere. */
    boolean hasShownAny() {
        return shown != null && shown.any();
    }

    void forget(long number) {
        answers.remove(number);
    }

    /** Takes a frame in, lets the next come into its buffer, and does what it asks for. */
    void hear(int buffer, int bytes) throws IOException {
        int at = pair.received(buffer);
        ControlFrame frame = ControlFrame.get(pair.frames(), at, bytes);
        frame.requireExpected(shown != null, messages);
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        body.put(0, pair.frames(), at + ControlFrame.HEADER_BYTES, frame.bodyBytes());
        pair.receiveAgain(buffer);
        credits += frame.credits();
        if (credits > ControlFrame.WINDOW) {
            throw new MalformedMessageException("more credits than frames were sent");
        }
        switch (frame.type()) {
            case ControlFrame.PART, ControlFrame.MESSAGE -> {
                messageAssembler.part(body, frame.type() == ControlFrame.MESSAGE);
            }
            case ControlFrame.ATTACH -> {
                messageAssembler.owe();
                Attachment found = shown == null ? null : shown.show(Attachment.requested(body), System.nanoTime());
                if (waiting.size() >= MAX_WAITING_ANSWERS) {
                    throw new MalformedMessageException("more attaches than answers are taken");
                }
                ByteBuffer answer = found == null ? Attachment.refusal() : found.encode();
                waiting.add(new Waiting(ControlFrame.ATTACHED, frame.number(), answer));
            }
            case ControlFrame.ATTACHED -> {
                messageAssembler.owe();
                // Nobody waits for a late answer.
                answers.replace(frame.number(), body);
            }
            case ControlFrame.LANDED -> {
                messageAssembler.owe();
                if (shown != null) {
                    shown.landed(frame.number(), LandedMessage.decode(body));
                }
            }
            default -> {}
        }
        sendWaiting();
        payCredits();
    }

    /** Sends the answers that had no credit or buffer. */
    void sendWaiting() throws IOException {
        while (!waiting.isEmpty() && maySend()) {
            Waiting next = waiting.remove();
            transmit(next.type, next.number, next.body);
        }
    }

    private void payCredits() throws IOException {
        if (messageAssembler.owed() >= ControlFrame.WINDOW / 2 && pair.maySend()) {
            pair.send(ControlFrame.CREDIT, messageAssembler.pay(), 0, ByteBuffer.allocate(0));
        }
    }
}
