package io.terrace.client.write;

import io.terrace.channel.write.WriteFrame;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

    private final AtEnd atEnd;

    /** Of one that holds blocks: given when those after it have theirs. */
    private final CountDownLatch others = new CountDownLatch(1);

    /** What it does when it has all of a block, and those after it have not. */
    private enum AtEnd {
        GOES_ON,
        GOES,
        HOLDS
    }

    private ScriptedDataNode(String uuid, Status opened, AtEnd atEnd) throws IOException {
        this.uuid = uuid;
        this.opened = opened;
        this.atEnd = atEnd;
        ownFirst = true;
    }

    /** One that takes whatever comes. */
    public static ScriptedDataNode taking(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS, AtEnd.GOES_ON);
    }

    /** One that opens no block. */
    public static ScriptedDataNode refusing(String uuid, Status why) throws IOException {
        return new ScriptedDataNode(uuid, why, AtEnd.GOES_ON);
    }

    /** One that is gone for good once it has finalised its first block, before those after it have. */
    public static ScriptedDataNode leaving(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS, AtEnd.GOES);
    }

    /** One that has its blocks, but says so of those after it only from {@link #letOthersHaveIt} on. */
    public static ScriptedDataNode holding(String uuid) throws IOException {
        return new ScriptedDataNode(uuid, Status.SUCCESS, AtEnd.HOLDS);
    }

    public void letOthersHaveIt() {
        others.countDown();
    }

    /** As where as many closed files as may be are still sent, until what it returns is closed. */
    public static Closeable manyFilesUnfinished() {
        int permits = WriteClient.UNFINISHED.drainPermits();
        return () -> WriteClient.UNFINISHED.release(permits);
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
        if (atEnd == AtEnd.GOES_ON || !frame.has(WriteFrame.LAST)) {
            return null;
        }
        try {
            if (atEnd == AtEnd.HOLDS) {
                others.await();
                return null;
            }
            close();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
        return new FailedPipeline(Status.ERROR, "");
    }
}
