package io.terrace.datanode.hdfs;

import io.terrace.compat.HadoopFit;
import org.apache.hadoop.util.ServicePlugin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Terrace in a DataNode: set as {@code dfs.datanode.plugins}, beside {@code dfs.datanode.fsdataset.factory}.
 *
 * <p>The guarded entry: whatever does not fit — another Hadoop, a bad setting, a directory that cannot be used — leaves a
 * stock DataNode and one line in its log at ERROR. Names no class of the DataNode itself, and is compiled for
 * Java 8, so that it always loads.
 */
public final class TerraceDataNodePlugin implements ServicePlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceDataNodePlugin.class);

    private @Nullable AutoCloseable running;

    /** What was started; null when Terrace is off. */
    synchronized @Nullable AutoCloseable running() {
        return running;
    }

    @Override
    public synchronized void start(Object datanode) {
        if (!HadoopFit.ofDataNode().fits(LOG)) {
            return;
        }
        try {
            running = PluginStarter.start(datanode);
        } catch (LinkageError | RuntimeException e) {
            LOG.error("Terrace could not start, the DataNode is stock: {}", e.toString());
            LOG.debug("Why Terrace is off", e);
        }
    }

    @Override
    public synchronized void stop() {
        AutoCloseable was = running;
        running = null;
        if (was != null) {
            try {
                was.close();
            } catch (Exception e) {
                LOG.warn("Stopping Terrace", e);
            }
        }
    }

    /** Hadoop asks plugins to close, but never does; {@link #stop} does it all. */
    @Override
    public void close() {
        stop();
    }
}
