package io.terrace.client.write;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** A {@link FakeWriteServer} for tests of streams, which stand in one of Hadoop's packages. */
public final class ScriptedDataNode extends FakeWriteServer {
    /** From its transfer port to the port that it listens on. */
    public static final int PORT_OFFSET = 1;

    private final String uuid;
    private final Status opened;

    private ScriptedDataNode(String uuid, Status opened) throws IOException {
        this.uuid = uuid;
        this.opened = opened;
    }

    /** One that takes whatever comes. */
    public static ScriptedDataNode taking(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS);
    }

    /** One that opens no block. */
    public static ScriptedDataNode refusing(String uuid, Status why) throws IOException {
        return new ScriptedDataNode(uuid, why);
    }

    public DatanodeInfo info() throws IOException {
        return info(uuid, port() - PORT_OFFSET);
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
}
