package io.terrace.placement.hdfs;

import io.terrace.conf.TerraceSettings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.util.ServicePlugin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placement service's way into a NameNode: {@code dfs.namenode.plugins} =
 * {@code io.terrace.placement.hdfs.TerraceNameNodePlugin}. Whatever goes wrong leaves a stock NameNode and one ERROR line
 * that says what and what to do.
 *
 * <p>NameNode calls fail while {@link #start} runs, so the service is built by a thread of its own once the NameNode is
 * up.
 */
public final class TerraceNameNodePlugin implements ServicePlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceNameNodePlugin.class);
    private static final long POLL_MS = 50;

    private @Nullable Thread starter;
    private @Nullable PlacementService service;
    private boolean stopped;

    @Override
    public synchronized void start(Object host) {
        // Only this class is loaded here, no class of another jar, so the thread's own handler reports a missing jar.
        Thread thread = new Thread(() -> await((NameNode) host), "terrace-placement-start");
        thread.setDaemon(true);
        thread.start();
        starter = thread;
    }

    private void await(NameNode nameNode) {
        try {
            Configuration conf = nameNode.getConf();
            if (!TerraceSettings.ENABLED.get(conf)) {
                LOG.info("Terrace is disabled by {}", TerraceSettings.ENABLED.key());
                return;
            }
            while (nameNode.getState().equals("initializing")) {
                Thread.sleep(POLL_MS);
            }
            PlacementService made = PlacementService.start(nameNode, conf);
            synchronized (this) {
                if (!stopped) {
                    service = made;
                    return;
                }
            }
            made.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // LinkageError included: a jar that does not fit this Hadoop must not harm the NameNode.
            LOG.error("Terrace's placement service is off; the NameNode is stock. {}", reason(e), e);
        }
    }

    private static String reason(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    @Override
    public void stop() {
        PlacementService running;
        Thread starting;
        synchronized (this) {
            stopped = true;
            running = service;
            service = null;
            starting = starter;
            starter = null;
        }
        if (starting != null) {
            starting.interrupt();
        }
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
