package io.terrace.placement.hdfs;

import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the placement service once its NameNode is up. */
final class PlacementStarter {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceNameNodePlugin.class);
    private static final long POLL_MS = 50;

    private PlacementStarter() {}

    /**
     * Waits until the NameNode is up, and starts the service.
     *
     * @param host the NameNode
     * @return the service; null when Terrace is off
     */
    static @Nullable AutoCloseable start(Object host) throws IOException, InterruptedException {
        NameNode nameNode = (NameNode) host;
        Configuration conf = nameNode.getConf();
        if (!TerraceSettings.ENABLED.get(conf)) {
            LOG.info("Terrace is disabled: {} is false", TerraceSettings.ENABLED.key());
            return null;
        }
        while (nameNode.getState().equals("initializing")) {
            Thread.sleep(POLL_MS);
        }
        return PlacementService.start(nameNode, conf);
    }
}
