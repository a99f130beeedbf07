package io.terrace.client.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;

/** How a block is opened at a DataNode, and what the DataNode says to it. */
final class Handshake {
    private Handshake() {}

    /**
     * The OPEN frame.
     *
     * @param request Hadoop's {@code OpWriteBlockProto}
     * @param flags {@link WriteFrame#MEMORY} and those beside it
     * @param wholeBytes of the block, where all of it follows at once; 0 where it does not
     */
    static ByteBuffer open(byte[] request, byte flags, int wholeBytes) {
        ByteBuffer frame = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + request.length);
        new WriteFrame(request.length, WriteFrame.OPEN, flags, wholeBytes).encode(frame);
        return frame.put(request).flip();
    }

    /** Fails with what the DataNode says, as stock does, unless the block is open. */
    static void check(WriteConnection.Received answer) throws IOException {
        switch (answer.frame().type()) {
            case WriteFrame.OPENED -> {
                BlockOpResponseProto response = parse(answer.body());
                check(response, "ack with firstBadLink as " + response.getFirstBadLink());
            }
            case WriteFrame.FAILED -> throw failure(answer.body());
            default -> throw new MalformedMessageException(
                    "a frame of type " + answer.frame().type() + " as answer to an open");
        }
    }

    /** What a FAILED frame says. */
    static IOException failure(ByteBuffer body) {
        try {
            BlockOpResponseProto response = parse(body);
            check(response, "the DataNode ended the block");
            return new MalformedMessageException("a failure with status " + response.getStatus());
        } catch (IOException e) {
            return e;
        }
    }

    private static void check(BlockOpResponseProto response, String text) throws PipelineException {
        try {
            DataTransferProtoUtil.checkBlockOpStatus(response, text);
        } catch (IOException e) {
            throw new PipelineException(response.getStatus(), response.getFirstBadLink(), e);
        }
    }

    private static BlockOpResponseProto parse(ByteBuffer body) throws IOException {
        return BlockOpResponseProto.parseFrom(body);
    }
}
