package io.terrace.client.write;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** What a block's first DataNode said failed: itself or one after it. */
public final class PipelineException extends IOException {
    private static final long serialVersionUID = 1;

    private final Status status;
    private final String badAddress;

    /** @param badAddress as stock has it, of the DataNode at fault; empty for the first one */
    PipelineException(Status status, String badAddress, IOException cause) {
        super(cause.getMessage(), cause);
        this.status = status;
        this.badAddress = badAddress;
    }

    public Status status() {
        return status;
    }

    /** Which of these is at fault; the first where the address is of none. */
    public int badNode(DatanodeInfo[] nodes) {
        for (int i = 0; i < nodes.length; i++) {
            if (badAddress.equals(nodes[i].getXferAddr())) {
                return i;
            }
        }
        return 0;
    }
}
