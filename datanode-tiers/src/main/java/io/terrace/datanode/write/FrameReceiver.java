package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.LandingWindows;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the frames of one block. A frame's data is taken in pieces: each is received into a buffer of this process,
 * verified there and written from there, so nothing that the client does afterwards changes it.
 */
public final class FrameReceiver {
    private final FrameChannel frames;
    private final SessionWindow window;
    private final OpenBlock block;
    private final WriteBuffers.Pair pair;
    private final BlockAnswers answers;
    private final @Nullable Forwarder forwarder;
    private final WriteMeter meter;
    private final SpeedMeter speed;
    private final ByteBuffer fields = ByteBuffer.allocateDirect(WriteData.BYTES);
    private final long startBytes;
    private long lastNumber;

    /** Where the last frame's data ended; negative before the first frame. */
    private long position = -1;

    FrameReceiver(
            FrameChannel frames,
            SessionWindow window,
            OpenBlock block,
            WriteBuffers.Pair pair,
            BlockAnswers answers,
            @Nullable Forwarder forwarder,
            WriteMeter meter,
            SpeedMeter speed) {
        this.frames = frames;
        this.window = window;
        this.block = block;
        this.pair = pair;
        this.answers = answers;
        this.forwarder = forwarder;
        this.meter = meter;
        this.speed = speed;
        this.startBytes = block.lengthBytes();
    }

    /** For a caller that sends the frames on itself, and takes in what the next DataNode answers. */
    public static FrameReceiver unforwarded(
            FrameChannel frames, OpenBlock block, BlockAnswers answers, WriteMeter meter) {
        SpeedMeter speed = new SpeedMeter(new ClientSpeeds(), new ClientSpeeds.Sender(ClientSpeeds.OWN_HOST, false));
        WriteBuffers.Pair pair = new WriteBuffers().take(block.chunkBytes());
        SessionWindow window = new SessionWindow(frames, LandingWindows.NONE, "", false, meter);
        return new FrameReceiver(frames, window, block, pair, answers, null, meter, speed);
    }

    /** Returns when the block is finalised, here and at all DataNodes after this one. */
    void run() throws IOException {
        boolean last = false;
        while (!last) {
            last = takeNext();
        }
        if (forwarder != null) {
            forwarder.awaitFinalised();
        }
    }

    /** Takes in the next frame; whether the block ends with it. */
    public boolean takeNext() throws IOException {
        WriteFrame frame = frames.receive();
        if (frame == null) {
            if (forwarder != null) {
                forwarder.check();
            }
            throw new EOFException("the client is gone within a block");
        }
        if (frame.type() == WriteFrame.PING) {
            answers.ping(frame);
            return false;
        }
        if (frame.type() == WriteFrame.WINDOW) {
            answers.window(window.open());
            return false;
        }
        if (frame.type() != WriteFrame.DATA) {
            throw new MalformedMessageException("a frame of type " + frame.type() + " within a block");
        }
        return take(frame);
    }

    /** Of the frame that was taken in last. */
    public long lastNumber() {
        return lastNumber;
    }

    /** Whether the block ends with this frame. */
    private boolean take(WriteFrame frame) throws IOException {
        if (frame.number() <= lastNumber) {
            throw new MalformedMessageException("frame " + frame.number() + " after frame " + lastNumber);
        }
        lastNumber = frame.number();
        long beganNs = System.nanoTime();
        if (forwarder != null) {
            forwarder.awaitRoom();
        }
        long roomNs = System.nanoTime();
        long waitedNs = forwarder == null ? 0 : forwarder.waitedNs();
        int bytes = write(frame);
        waitedNs = forwarder == null ? 0 : forwarder.waitedNs() - waitedNs;
        long writtenNs = System.nanoTime();
        boolean sync = frame.has(WriteFrame.SYNC);
        if (sync) {
            block.sync();
        }
        speed.waited(roomNs - beganNs);
        speed.received(bytes, writtenNs - roomNs - waitedNs);
        speed.waited(waitedNs);
        speed.waited(System.nanoTime() - writtenNs);
        block.received();
        boolean last = frame.has(WriteFrame.LAST);
        if (last) {
            block.finish(sync);
            meter.finalised();
        } else {
            block.checkPace();
        }
        answers.own(frame.number(), position, last);
        return last;
    }

    /** Verifies and writes a frame, and sends it on; returns how much data it has. */
    private int write(WriteFrame frame) throws IOException {
        int chunkBytes = block.chunkBytes();
        frames.receiveBody(fields.clear());
        WriteData data = WriteData.decode(frame, chunkBytes, fields.flip());
        checkPlace(data);
        ByteBuffer sums = pair.sums().clear().limit(WriteData.sumBytes(data.dataBytes(), chunkBytes));
        frames.receiveBody(sums);
        sums.flip();
        long end = data.offset() + data.dataBytes();
        if (frame.has(WriteFrame.LAST) && end < block.lengthBytes()) {
            throw new MalformedMessageException(
                    "a block of " + end + " bytes, of which " + block.lengthBytes() + " bytes are written");
        }
        int lastSum = sums.limit() == 0 ? 0 : sums.getInt(sums.limit() - WriteData.SUM_BYTES);
        // What lands here does not land there.
        int flags = frame.flags() & ~WriteFrame.LANDED;
        ForwardQueue.Part part = new ForwardQueue.Part(frame.number(), data.offset(), end, flags, lastSum);
        frames.beginData(frame, data.dataBytes());
        int pieceBytes = pair.data().capacity() / chunkBytes * chunkBytes;
        for (int done = 0; done < data.dataBytes(); done += pieceBytes) {
            int bytes = Math.min(pieceBytes, data.dataBytes() - done);
            ByteBuffer piece = block.pieceBuffer(pair.data(), bytes).clear().limit(bytes);
            frames.receiveData(piece);
            int sumsAt = WriteData.sumBytes(done, chunkBytes);
            ByteBuffer pieceSums = sums.slice(sumsAt, WriteData.sumBytes(piece.limit(), chunkBytes));
            long offset = data.offset() + done;
            block.write(offset, piece.flip(), pieceSums);
            if (forwarder != null) {
                forwarder.send(part, sums, offset, piece.rewind());
            }
        }
        meter.written(data.dataBytes());
        if (frame.has(WriteFrame.LANDED)) {
            meter.landed(data.dataBytes());
        }
        position = end;
        if (forwarder != null) {
            forwarder.end(part, sums);
        }
        return data.dataBytes();
    }

    /**
     * Data continues where the last frame ended, or begins with its last, partial chunk and covers that. The first of a replica
     * that had bytes already may begin before their end: the client sends again what not all DataNodes had. It does not begin
     * before what all had: such a frame is of another block, and would be taken for written where that is no longer.
     */
    private void checkPlace(WriteData data) throws MalformedMessageException {
        int chunkBytes = block.chunkBytes();
        boolean anywhere = position < 0 && startBytes > 0;
        long from = Math.max(position, 0);
        long expected = data.dataBytes() == 0 ? from : from - from % chunkBytes;
        long recovered = block.recoveredBytes();
        boolean inPlace = anywhere
                ? data.offset() >= recovered - recovered % chunkBytes
                        && data.offset() <= (data.dataBytes() == 0 ? startBytes : startBytes - startBytes % chunkBytes)
                : data.offset() == expected;
        long end = data.offset() + data.dataBytes();
        if (!inPlace || end < from || end > block.mostBytes()) {
            throw new MalformedMessageException(data.dataBytes() + " bytes at " + data.offset() + " of a block of "
                    + block.lengthBytes() + " bytes that may have " + block.mostBytes());
        }
    }
}
