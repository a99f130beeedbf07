package io.terrace.client.write;

import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;

/** A {@link FakeWriteServer} for tests of streams, which stand in one of Hadoop's packages. */
public final class ScriptedDataNode extends FakeWriteServer {
    /** From its transfer port to the port that it listens on. */
    public static final int PORT_OFFSET = 1;

    private final String uuid;
    private final Status opened;

    /** Whether it goes when it has all of a block, and those after it have not. */
    private final boolean goesAtTheEnd;

    private ScriptedDataNode(String uuid, Status opened, boolean goesAtTheEnd) throws IOException {
        this.uuid = uuid;
        this.opened = opened;
        this.goesAtTheEnd = goesAtTheEnd;
        ownFirst = true;
    }

    /** One that takes whatever comes. */
    public static ScriptedDataNode taking(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS, false);
    }

    /** One that opens no block. */
    public static ScriptedDataNode refusing(String uuid, Status why) throws IOException {
        return new ScriptedDataNode(uuid, why, false);
    }

    /** One that is gone for good once it has finalised its first block, before those after it have. */
    public static ScriptedDataNode leaving(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS, true);
    }

    public DatanodeInfo info() throws IOException {
        return info(uuid, port() - PORT_OFFSET);
    }

    /** One at which nobody listens. */
    public static DatanodeInfo gone(String uuid) {
        return info(uuid, 1);
    }

    private static DatanodeInfo info(String uuid, int port) {
        return new DatanodeInfoBuilder()
                .setNodeID(new DatanodeID("127.0.0.1", "localhost", uuid, port, 1, 1, 1))
                .build();
    }

    /** What was written to it, block by block. */
    public List<byte[]> written() {
        return blocks.stream().map(block -> block.bytes).toList();
    }

    @Override
    Status opened(OpWriteBlockProto request) {
        return opened;
    }

    @Override
    @Nullable
    FailedPipeline beforeAck(Block block, WriteFrame frame) {
        if (!goesAtTheEnd || !frame.has(WriteFrame.LAST)) {
            return null;
        }
        try {
            close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return new FailedPipeline(Status.ERROR, "");
    }
}
