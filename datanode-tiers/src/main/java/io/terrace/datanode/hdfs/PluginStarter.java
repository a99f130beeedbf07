package io.terrace.datanode.hdfs;

import io.terrace.common.DaemonThreads;
import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the DataNode has its dataset and its identity, which it has not when plugins start, and then starts the
 * memory tier; closes it again when the DataNode stops.
 */
final class PluginStarter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PluginStarter.class);
    private static final long POLL_MS = 20;
    private static final long STOP_WAIT_MS = 30_000;

    private final DataNode datanode;
    private final DataNodeConfig settings;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable DataNodeTiers service;
    private @Nullable MetricsExport withoutTier;

    private PluginStarter(DataNode datanode, DataNodeConfig settings) {
        this.datanode = datanode;
        this.settings = settings;
        this.thread = DaemonThreads.make("terrace-start", this::run);
    }

    /**
     * Begins to wait.
     *
     * @param service the DataNode
     * @throws IllegalArgumentException if a setting cannot be
     */
    static @Nullable AutoCloseable start(Object service) {
        if (!(service instanceof DataNode datanode)) {
            throw new IllegalArgumentException("the plugin is for a DataNode, not for " + service);
        }
        Configuration conf = datanode.getConf();
        UnknownSettings.refuse(conf);
        DataNodeConfig settings = new DataNodeConfig(conf);
        if (!settings.enabled()) {
            LOG.info("Terrace is disabled: {} is false", TerraceSettings.ENABLED.key());
            return null;
        }
        PluginStarter plugin = new PluginStarter(datanode, settings.check());
        plugin.thread.start();
        return plugin;
    }

    private void run() {
        try {
            while (!closed && (datanode.getFSDataset() == null || datanode.getDatanodeUuid() == null)) {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            }
            if (closed) {
                return;
            }
            if (!(datanode.getFSDataset() instanceof ObservedDataset dataset)) {
                LOG.error("Terrace is off, the DataNode is stock: set dfs.datanode.fsdataset.factory to"
                        + " org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
                return;
            }
            DataNodeTiers started = DataNodeTiers.start(datanode, dataset, settings);
            synchronized (this) {
                if (!closed) {
                    service = started;
                }
            }
            if (service == null) {
                started.close();
            } else {
                LOG.info("Terrace serves up to {} bytes from {}", settings.capacityBytes(), settings.memoryDir());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) {
            if (closed) {
                LOG.debug("Terrace was stopped while it started", e);
            } else {
                LOG.error("Terrace could not start, the DataNode is stock: {}", String.valueOf(e.getMessage()), e);
                showWithoutTier();
            }
        }
    }

    /** Shows a memory tier of capacity 0, by which monitoring sees that it was refused. */
    private synchronized void showWithoutTier() {
        if (!closed) {
            withoutTier = MetricsExport.show(new MetricRegistry(), datanode.getDatanodeUuid());
        }
    }

    /** The memory tier, once it runs. */
    @Nullable
    DataNodeTiers service() {
        return service;
    }

    @Override
    public void close() {
        DataNodeTiers started;
        synchronized (this) {
            closed = true;
            started = service;
            service = null;
            if (withoutTier != null) {
                withoutTier.close();
            }
        }
        thread.interrupt();
        try {
            thread.join(STOP_WAIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (started != null) {
            started.close();
        }
    }
}
