package org.apache.hadoop.hdfs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stage of a streamer's block. Stock's code sets a pipeline up again by it, but sets it only in a loop of its own, to a
 * field that has no setter.
 */
final class StreamerStage {
    private static final Logger LOG = LoggerFactory.getLogger(StreamerStage.class);
    private static final @Nullable VarHandle STAGE = find();

    private StreamerStage() {}

    /** Whether this Hadoop has it as this class knows it. Without it no pipeline is set up again. */
    static boolean isKnown() {
        return STAGE != null;
    }

    static void set(DataStreamer streamer, BlockConstructionStage stage) {
        VarHandle field = STAGE;
        if (field != null) {
            field.setVolatile(streamer, stage);
        }
    }

    private static @Nullable VarHandle find() {
        try {
            return MethodHandles.privateLookupIn(DataStreamer.class, MethodHandles.lookup())
                    .findVarHandle(DataStreamer.class, "stage", BlockConstructionStage.class);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("This Hadoop's stream is another: files of several replicas are left to stock", e);
            return null;
        }
    }
}
