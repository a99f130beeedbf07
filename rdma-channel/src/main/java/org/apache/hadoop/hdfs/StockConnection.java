package org.apache.hadoop.hdfs;

import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a streamer to the first DataNode of a block that is written as stock writes it, before stock's loop goes on with
 * that block. Only that loop sends heartbeats, to a field that is private. By the streamer's thread.
 */
final class StockConnection {
    private static final Logger LOG = LoggerFactory.getLogger(StockConnection.class);
    private static final @Nullable VarHandle OUTPUT = find();

    private StockConnection() {}

    /** Whether this Hadoop has it as this class knows it. Without it a DataNode would take the client for dead. */
    static boolean isKnown() {
        return OUTPUT != null;
    }

    /** What the DataNodes answer is read, and passed over, once stock's loop goes on; so is a fault of the connection. */
    static void sendHeartbeat(DataStreamer streamer) {
        VarHandle field = OUTPUT;
        DataOutputStream output = field == null ? null : (DataOutputStream) field.get(streamer);
        if (output == null) {
            return;
        }
        try {
            byte[] header = new byte[PacketHeader.PKT_MAX_HEADER_LEN];
            new DFSPacket(header, 0, 0, DFSPacket.HEART_BEAT_SEQNO, 0, false).writeTo(output);
            output.flush();
        } catch (IOException e) {
            LOG.debug("A heartbeat of {} is not sent", streamer, e);
        }
    }

    private static @Nullable VarHandle find() {
        try {
            return MethodHandles.privateLookupIn(DataStreamer.class, MethodHandles.lookup())
                    .findVarHandle(DataStreamer.class, "blockStream", DataOutputStream.class);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("This Hadoop's stream is another: files of several replicas are left to stock", e);
            return null;
        }
    }
}
