package io.terrace.bench.fuzz;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.nio.ByteBuffer;
import java.util.List;

/** A frame of a write with its body. */
final class WriteFrames implements FuzzTarget {

    private static final int CHUNK_BYTES = 512;

    @Override
    public List<byte[]> seeds() {
        WriteFrame ack = new WriteAck(1024, 2, 1024).frame(WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED, 2);
        ByteBuffer acked = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        ack.encode(acked);
        new WriteAck(1024, 2, 1024).encode(acked);
        int sums = 2 * WriteData.SUM_BYTES;
        ByteBuffer data = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteData.BYTES + sums + 2 * CHUNK_BYTES);
        new WriteFrame(WriteData.BYTES + sums + 2 * CHUNK_BYTES, WriteFrame.DATA, WriteFrame.FLUSH, 1).encode(data);
        data.putLong(0).putInt(sums);
        ByteBuffer ping = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 3).encode(ping);
        ByteBuffer open = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + 1);
        new WriteFrame(1, WriteFrame.OPEN, WriteFrame.MEMORY, WriteFrame.MAX_WHOLE_BYTES).encode(open);
        return List.of(acked.array(), data.array(), ping.array(), open.array());
    }

    @Override
    public void read(byte[] input) {
        if (input.length < WriteFrame.HEADER_BYTES) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        try {
            WriteFrame frame = WriteFrame.decode(in);
            FuzzTarget.require(
                    frame.bodyBytes() >= 0 && frame.bodyBytes() <= WriteFrame.MAX_BODY_BYTES,
                    "a body of " + frame.bodyBytes() + " bytes");
            FuzzTarget.require(
                    frame.type() != WriteFrame.OPEN
                            || (frame.number() >= 0 && frame.number() <= WriteFrame.MAX_WHOLE_BYTES),
                    "a block with its request that is longer than may be");
            // Receivers wait for the whole body.
            if (in.remaining() < frame.bodyBytes()) {
                return;
            }
            if (frame.type() == WriteFrame.ACK) {
                WriteAck ack = WriteAck.decode(frame, in);
                FuzzTarget.require(ack.replicatedBytes() <= ack.writtenBytes(), "more replicated than written");
            } else if (frame.type() == WriteFrame.DATA) {
                WriteData data = WriteData.decode(frame, CHUNK_BYTES, in);
                FuzzTarget.require(data != null, "no data");
            }
        } catch (MalformedMessageException e) {
            // Refused.
        }
    }
}
