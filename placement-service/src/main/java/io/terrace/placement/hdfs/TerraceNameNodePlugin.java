package io.terrace.placement.hdfs;

import io.terrace.compat.HadoopFit;
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
 * up. Compiled for Java 8 and names no class that is not, so that an older JVM loads it.
 */
public final class TerraceNameNodePlugin implements ServicePlugin {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceNameNodePlugin.class);

    private @Nullable Thread starter;
    private @Nullable AutoCloseable service;
    private boolean stopped;

    @Override
    public synchronized void start(Object host) {
        Thread thread = new Thread(() -> run(host), "terrace-placement-start");
        thread.setDaemon(true);
        thread.start();
        starter = thread;
    }

    private void run(Object host) {
        try {
            AutoCloseable made = HadoopFit.ofNameNode().fits(LOG) ? PlacementStarter.start(host) : null;
            synchronized (this) {
                if (!stopped) {
                    service = made;
                    return;
                }
            }
            close(made);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // LinkageError included: a jar that does not fit this Hadoop must not harm the NameNode.
            LOG.error("Terrace's placement service is off; the NameNode is stock. {}", reason(e), e);
        }
    }

    private static void close(@Nullable AutoCloseable service) {
        if (service == null) {
            return;
        }
        try {
            service.close();
        } catch (Exception e) {
            LOG.warn("Stopping Terrace", e);
        }
    }

    private static String reason(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    @Override
    public void stop() {
        AutoCloseable running;
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
        close(running);
    }

    @Override
    public void close() {
        stop();
    }
}
