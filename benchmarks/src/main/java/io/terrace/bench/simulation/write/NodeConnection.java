package io.terrace.bench.simulation.write;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.datanode.write.BlockAnswers;
import io.terrace.datanode.write.FrameReceiver;
import io.terrace.datanode.write.WriteMeter;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.DatanodeInfoProto;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which a DataNode takes blocks: what a thread does there, as events of one frame each. Frames are taken in and
 * answered by the real classes, and sent on as they came.
 */
final class NodeConnection {
    private static final int INBOX_BYTES = 128 << 10;
    private static final int HELLO_BYTES =
            MessageCodec.encode(new Message.StartWrites()).remaining();
    private static final WriteMeter METER = new WriteMeter(new MetricRegistry());

    private final WriteWorld world;
    private final PipelineNode node;
    private final SocketChannel channel;
    private final FrameChannel frames;

    /** What has arrived; frames are read from here, for the channel would wait for them. */
    private final ByteBuffer inbox = ByteBuffer.allocate(INBOX_BYTES).flip();

    private int helloBytes = HELLO_BYTES;
    private boolean ended;
    private boolean scheduled;
    private boolean draining;
    private boolean closed;

    private @Nullable OpWriteBlockProto request;
    private @Nullable BlockWriter writer;
    private @Nullable BlockAnswers answers;
    private @Nullable FrameReceiver receiver;
    private boolean lastTaken;

    /** Whether the block came with the request, and is answered by its acknowledgement alone. */
    private boolean whole;

    private @Nullable WriteConnection next;
    private String nextAddress = "";
    private boolean nextOpened;
    private boolean nextEnded;
    private final Deque<byte[]> toNext = new ArrayDeque<>();

    NodeConnection(WriteWorld world, PipelineNode node, SocketChannel channel) throws IOException {
        this.world = world;
        this.node = node;
        this.channel = channel;
        this.frames = new FrameChannel(channel, inbox);
        channel.configureBlocking(false);
    }

    boolean isClosed() {
        return closed;
    }

    boolean isWriting() {
        return writer != null && !draining;
    }

    /** Takes in what has arrived, and sees to it that it is dealt with. */
    void poll() {
        if (closed) {
            return;
        }
        try {
            inbox.compact();
            ended |= channel.read(inbox) < 0;
        } catch (IOException e) {
            ended = true;
        } finally {
            inbox.flip();
        }
        if (draining) {
            inbox.position(inbox.limit());
            if (ended) {
                close();
            }
            return;
        }
        int hello = Math.min(helloBytes, inbox.remaining());
        inbox.position(inbox.position() + hello);
        helloBytes -= hello;
        if (!scheduled && (hasFrame() || ended) && (request == null || receiver != null)) {
            scheduled = true;
            later("a frame", this::take);
        }
        pollNext();
    }

    private boolean hasFrame() {
        return inbox.remaining() >= WriteFrame.HEADER_BYTES
                && inbox.remaining() >= WriteFrame.HEADER_BYTES + inbox.getInt(inbox.position());
    }

    private void later(String what, Runnable step) {
        world.scheduler().after(node.delayNs(), what, () -> {
            if (!closed && !draining) {
                step.run();
            }
        });
    }

    private void take() {
        scheduled = false;
        if (!hasFrame()) {
            close();
            return;
        }
        try {
            FrameReceiver block = receiver;
            if (block == null) {
                open();
            } else {
                take(block);
            }
        } catch (IOException e) {
            fail(e, "");
        }
    }

    private void open() throws IOException {
        WriteFrame header = WriteFrame.decode(inbox);
        byte[] body = new byte[header.bodyBytes()];
        inbox.get(body);
        OpWriteBlockProto wanted = OpWriteBlockProto.parseFrom(body);
        request = wanted;
        whole = header.number() > 0 && node.answersOnce();
        // A new replica is made last, so that there is none where one of them has no channel.
        boolean isNew = wanted.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE;
        writer = isNew ? null : BlockWriter.open(world, node, this, wanted);
        if (wanted.getTargetsCount() == 0) {
            opened(wanted);
            return;
        }
        DatanodeInfoProto target = wanted.getTargets(0);
        nextAddress = target.getId().getIpAddr() + ":" + target.getId().getXferPort();
        try {
            next = WriteConnection.connect(
                    target.getId().getDatanodeUuid(),
                    UnixDomainSocketAddress.of(
                            world.sockets().socket(target.getId().getDatanodeUuid())),
                    MessageCodec.encode(new Message.StartWrites()),
                    TimeUnit.SECONDS.toNanos(1));
        } catch (IOException e) {
            fail(e, nextAddress);
            return;
        }
        sendOn(frame(
                WriteFrame.OPEN, wanted.toBuilder().removeTargets(0).build().toByteArray()));
    }

    /** Here and at all DataNodes after this one. */
    private void opened(OpWriteBlockProto wanted) throws IOException {
        BlockWriter made = writer;
        BlockWriter block = made == null ? BlockWriter.open(world, node, this, wanted) : made;
        writer = block;
        if (!whole) {
            send(WriteFrame.OPENED, Status.SUCCESS, "", "");
        }
        if (block.isWritten()) {
            endBlock();
            return;
        }
        BlockAnswers fresh = new BlockAnswers(frames, block, next == null);
        answers = fresh;
        receiver = FrameReceiver.unforwarded(frames, block, fresh, METER);
    }

    private void take(FrameReceiver block) throws IOException {
        int bytes = WriteFrame.HEADER_BYTES + inbox.getInt(inbox.position());
        byte[] raw = new byte[bytes];
        inbox.get(inbox.position(), raw);
        lastTaken = block.takeNext();
        if (next != null) {
            sendOn(raw);
        } else if (lastTaken) {
            endBlock();
        }
        BlockAnswers told = answers;
        if (lastTaken && told != null && writer != null && !world.hooks().awaitsAll()) {
            told.next(block.lastNumber(), writer.lengthBytes(), true);
        }
    }

    private void sendOn(byte[] raw) {
        toNext.add(raw);
        later("to the next", () -> {
            WriteConnection to = next;
            byte[] first = toNext.poll();
            try {
                if (to != null && first != null && !to.send(ByteBuffer.wrap(first))) {
                    throw new IOException("a socket that takes nothing");
                }
            } catch (IOException e) {
                fail(e, nextAddress);
            }
        });
    }

    private void pollNext() {
        WriteConnection from = next;
        if (from == null || nextEnded) {
            return;
        }
        try {
            boolean more = true;
            while (more) {
                more = from.fill();
                for (var got = from.next(); got != null; got = from.next()) {
                    byte[] body = new byte[got.body().remaining()];
                    got.body().get(body);
                    WriteFrame header = got.frame();
                    later("from the next", () -> heard(header, body));
                }
            }
        } catch (IOException e) {
            nextEnded = true;
            // After what it said before.
            world.scheduler().after(node.delayNs() * 2, "the next is gone", () -> {
                if (!closed && !draining && next == from) {
                    fail(e, nextAddress);
                }
            });
        }
    }

    private void heard(WriteFrame header, byte[] body) {
        try {
            if (header.type() != WriteFrame.ACK) {
                BlockOpResponseProto said = BlockOpResponseProto.parseFrom(body);
                if (header.type() != WriteFrame.OPENED || said.getStatus() != Status.SUCCESS) {
                    String bad = said.getFirstBadLink().isEmpty() ? nextAddress : said.getFirstBadLink();
                    fail(new IOException(said.getMessage()), bad);
                    return;
                }
                nextOpened = true;
                OpWriteBlockProto wanted = request;
                if (wanted != null) {
                    opened(wanted);
                }
                return;
            }
            WriteAck ack = WriteAck.decode(header, ByteBuffer.wrap(body));
            boolean all = header.has(WriteFrame.ALL_FINALIZED);
            BlockAnswers told = answers;
            if (told != null && nextOpened && !(lastTaken && !world.hooks().awaitsAll())) {
                told.next(ack.replicatedNumber(), ack.replicatedBytes(), all);
            }
            if (all && lastTaken) {
                endBlock();
            }
        } catch (IOException e) {
            fail(e, "");
        }
    }

    /** The next one may come. */
    private void endBlock() {
        request = null;
        writer = null;
        receiver = null;
        answers = null;
        lastTaken = false;
        nextOpened = false;
        nextEnded = false;
        closeNext();
    }

    /** Its writer is interrupted. */
    void stop() {
        fail(new IOException("interrupted"), "");
    }

    private void fail(IOException why, String badAddress) {
        if (closed || draining) {
            return;
        }
        world.say(
                node.toString(),
                "%s ends: %s %s",
                String.valueOf(writer),
                String.valueOf(why.getMessage()),
                badAddress);
        try {
            BlockAnswers told = answers;
            if (told != null) {
                told.fail(answer(Status.ERROR, String.valueOf(why.getMessage()), badAddress));
            } else if (request != null) {
                send(WriteFrame.OPENED, Status.ERROR, String.valueOf(why.getMessage()), badAddress);
            }
            draining = true;
            leave();
            channel.shutdownOutput();
        } catch (IOException gone) {
            close();
        }
    }

    /** The replica stays as it is. */
    private void leave() {
        BlockWriter left = writer;
        if (left != null) {
            left.close();
        }
        closeNext();
    }

    private void closeNext() {
        WriteConnection last = next;
        next = null;
        toNext.clear();
        try {
            if (last != null) {
                last.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    void close() {
        closed = true;
        leave();
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(byte type, Status status, String text, String badAddress) throws IOException {
        frames.send(ByteBuffer.wrap(frame(type, answer(status, text, badAddress))));
    }

    private static byte[] answer(Status status, String text, String badAddress) {
        return BlockOpResponseProto.newBuilder()
                .setStatus(status)
                .setMessage(text)
                .setFirstBadLink(badAddress)
                .build()
                .toByteArray();
    }

    private static byte[] frame(byte type, byte[] body) {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        new WriteFrame(body.length, type, (byte) 0, 0).encode(out);
        return out.put(body).array();
    }

    /** The DataNodes after this one, as its client named them. */
    List<PipelineNode> after() {
        OpWriteBlockProto open = request;
        return open == null
                ? List.of()
                : open.getTargetsList().stream()
                        .map(target -> world.node(target.getId().getDatanodeUuid()))
                        .toList();
    }
}
