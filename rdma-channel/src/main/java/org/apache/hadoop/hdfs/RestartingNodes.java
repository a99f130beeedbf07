package org.apache.hadoop.hdfs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNodes that left a streamer's pipelines to restart. Stock's code takes them for failed until a pipeline is set up
 * without them, and then takes that back in the method that {@link TerraceDataStreamer} replaces. Both lists are private.
 */
final class RestartingNodes {
    private static final Logger LOG = LoggerFactory.getLogger(RestartingNodes.class);
    private static final @Nullable VarHandle FAILED = find("failed");
    private static final @Nullable VarHandle RESTARTING = find("restartingNodes");

    private RestartingNodes() {}

    /** Whether this Hadoop has the lists as this class knows them. Without them a rolling upgrade uses up all DataNodes. */
    static boolean isKnown() {
        return FAILED != null && RESTARTING != null;
    }

    /** A pipeline is set up: they may come back into the next one. By the streamer's thread. */
    static void readmit(DataStreamer streamer) {
        VarHandle failed = FAILED;
        VarHandle restarting = RESTARTING;
        if (failed != null && restarting != null) {
            List<?> nodes = (List<?>) restarting.get(streamer);
            ((List<?>) failed.get(streamer)).removeAll(nodes);
            nodes.clear();
        }
    }

    private static @Nullable VarHandle find(String field) {
        try {
            return MethodHandles.privateLookupIn(DataStreamer.class, MethodHandles.lookup())
                    .findVarHandle(DataStreamer.class, field, List.class);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("This Hadoop's stream is another: files of several replicas are left to stock", e);
            return null;
        }
    }
}
