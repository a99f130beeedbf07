package io.terrace.datanode.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A DataNode of a {@link ForwardChain}: the steps of its two threads, each a method, around the real {@link ForwardQueue} and
 * {@link BlockAnswers}. The steps are in the order of {@link FrameReceiver}, {@link FrameSender} and {@link Forwarder}.
 */
final class ChainNode {
    static final int CHUNK_BYTES = 8;

    /** An answer on its way to the DataNode before, or to the client. */
    record Answer(WriteFrame header, WriteAck ack) {}

    private final ForwardChain chain;
    private final int index;
    private final @Nullable ChainNode next;
    private final ForwardQueue queue = new ForwardQueue(CHUNK_BYTES, 0, Long.MAX_VALUE);
    private final BlockAnswers answers;
    private final SocketChannel client;
    private final Deque<ForwardQueue.Part> arrived = new ArrayDeque<>();
    final Deque<Answer> answered = new ArrayDeque<>();
    private boolean told;

    // What the next DataNode hears of.
    private boolean cutFrame;
    private long arrivedNumber;
    private long arrivedBytes;

    // The replica.
    long writtenNumber;
    long writtenBytes;
    long syncedNumber;
    boolean finalised;

    // The writer's.
    private ForwardQueue.@Nullable Part writing;
    private boolean begun;
    private boolean isWritten;
    private boolean isAnswered;

    // The forwarder's.
    private ForwardQueue.@Nullable Part rest;
    private long ackedNumber;

    /** @param ends of the connection that its answers go over: its own, the other one */
    ChainNode(ForwardChain chain, int index, @Nullable ChainNode next, SocketChannel[] ends) throws IOException {
        this.chain = chain;
        this.index = index;
        this.next = next;
        this.client = ends[1];
        boolean alone = next == null || (index == 0 && chain.bug() == ChainBug.OWN_FOR_ALL);
        this.answers = new BlockAnswers(new FrameChannel(ends[0]), block(), alone);
    }

    /** Of a block, answers need only these two. */
    private OpenBlock block() {
        PipelineEvents events = new PipelineEvents() {
            @Override
            public void acknowledged(long tookNs) {
                told = true;
            }
        };
        return (OpenBlock) Proxy.newProxyInstance(
                OpenBlock.class.getClassLoader(), new Class<?>[] {OpenBlock.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acknowledge")) {
                        chain.checkVisible(index, (long) arguments[0]);
                        return null;
                    }
                    assertEquals("events", method.getName());
                    return events;
                });
    }

    /** A frame has arrived wholly; where it may begin is what a DataNode checks. */
    void arrives(ForwardQueue.Part part) {
        assertTrue(part.number() > arrivedNumber, "frames change their order");
        long from = part.dataBytes() == 0 ? arrivedBytes : arrivedBytes - arrivedBytes % CHUNK_BYTES;
        assertEquals(from, part.offset(), "a frame begins elsewhere");
        assertTrue(part.endOffset() >= arrivedBytes, "a frame ends before what was sent");
        assertEquals(ForwardChain.sum(part.endOffset()), part.lastSum(), "the last checksum is of another frame");
        arrivedNumber = part.number();
        arrivedBytes = part.endOffset();
        arrived.add(part);
    }

    /** The next step of the writer; false when it has none. */
    boolean write(Random random) throws IOException {
        ForwardQueue.Part part = writing;
        if (part == null) {
            writing = arrived.poll();
            begun = false;
            isWritten = false;
            isAnswered = false;
            return writing != null;
        }
        if (chain.bug() == ChainBug.ANSWERED_BEFORE_WRITTEN && !isAnswered) {
            answer(part);
        } else if (!isWritten && !begun && next != null && random.nextBoolean()) {
            // Its first piece, written and sent on.
            begun = queue.claim() || chain.bug() == ChainBug.SENT_OUT_OF_TURN;
            if (begun) {
                begins();
            }
        } else if (!isWritten) {
            writtenNumber = part.number();
            writtenBytes = part.endOffset();
            syncedNumber = part.has(WriteFrame.SYNC) ? part.number() : syncedNumber;
            isWritten = true;
            sendOn(part, random);
        } else if (chain.bug() == ChainBug.ANSWERED_BEFORE_FINALISED && !isAnswered) {
            answer(part);
        } else if (part.has(WriteFrame.LAST) && !finalised) {
            finalised = true;
        } else {
            if (!isAnswered) {
                answer(part);
            }
            writing = null;
        }
        return true;
    }

    private void sendOn(ForwardQueue.Part part, Random random) {
        if (next == null) {
            return;
        }
        if (!begun) {
            if (chain.bug() == ChainBug.WAITING_FRAME_REPLACED && rest == null && queue.take()) {
                queue.poll();
            }
            queue.add(part);
            return;
        }
        boolean whole = random.nextBoolean();
        if (whole) {
            ends(part);
        } else {
            rest = part;
        }
        queue.release(part, whole);
    }

    private void begins() {
        assertTrue(!cutFrame, "a frame begins within another");
        cutFrame = true;
    }

    private void ends(ForwardQueue.Part part) {
        assertTrue(cutFrame, "a frame ends twice");
        cutFrame = false;
        if (next != null) {
            next.arrives(part);
        }
    }

    private void answer(ForwardQueue.Part part) throws IOException {
        isAnswered = true;
        answers.own(part.number(), part.endOffset(), part.has(WriteFrame.LAST));
        collect();
    }

    /** What {@link BlockAnswers} has sent, read from the connection. */
    private void collect() throws IOException {
        if (!told) {
            return;
        }
        told = false;
        ByteBuffer bytes = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        while (bytes.hasRemaining()) {
            assertTrue(client.read(bytes) >= 0);
        }
        WriteFrame header = WriteFrame.decode(bytes.flip());
        Answer answer = new Answer(header, WriteAck.decode(header, bytes));
        if (chain.bug() != ChainBug.LAST_NOT_HEARD || index != chain.last()) {
            answered.add(answer);
        }
    }

    /** The next step of the forwarder; false when it has none. */
    boolean forward(Random random) throws IOException {
        if (next == null) {
            return false;
        }
        if (!next.answered.isEmpty() && random.nextBoolean()) {
            Answer answer = next.answered.remove();
            long number = answer.ack().replicatedNumber();
            assertTrue(number >= ackedNumber, "less is acknowledged than before");
            ackedNumber = number;
            queue.acked(answer.ack().replicatedBytes());
            answers.next(number, answer.ack().replicatedBytes(), answer.header().has(WriteFrame.ALL_FINALIZED));
            collect();
            return true;
        }
        if (!queue.take()) {
            // A PING, now and then.
            if (random.nextInt(4) == 0 && queue.takeIdle()) {
                assertTrue(!cutFrame, "a PING within a frame");
            }
            return !next.answered.isEmpty();
        }
        ForwardQueue.Part part = rest;
        if (part != null) {
            rest = null;
            ends(chain.bug() == ChainBug.SYNC_NOT_SENT_ON ? withoutSync(part) : part);
            return true;
        }
        rest = queue.poll();
        if (rest != null) {
            begins();
        }
        return true;
    }

    private static ForwardQueue.Part withoutSync(ForwardQueue.Part part) {
        return new ForwardQueue.Part(
                part.number(), part.offset(), part.endOffset(), part.flags() & ~WriteFrame.SYNC, part.lastSum());
    }
}
