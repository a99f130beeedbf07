package io.terrace.datanode.hdfs;

import io.terrace.channel.write.LandingWindows;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.hdfs.write.DatasetBlockStore;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.write.WriteLimits;
import io.terrace.datanode.write.WriteMeter;
import io.terrace.datanode.write.WriteService;
import io.terrace.datanode.writethrough.WriteThroughCopies;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether clients may write to a DataNode over the channel. */
final class WriteServing {
    private static final Logger LOG = LoggerFactory.getLogger(WriteServing.class);

    private WriteServing() {}

    /**
     * Makes what serves them.
     *
     * @param copies in memory that clients may ask for
     * @param rules which other files get such copies
     * @param speeds takes how fast they send
     * @param windows that they may write into by RDMA
     * @return null when the operator does not want it, and where data transfer is to be protected or encrypted, which the
     *     channel does not do: then they write through stock HDFS
     */
    static @Nullable WriteService serve(
            DataNode datanode,
            WriteThroughCopies copies,
            WriteThroughRules rules,
            MetricRegistry metricRegistry,
            ClientSpeeds speeds,
            LandingWindows windows) {
        Configuration conf = datanode.getConf();
        int connections = TerraceSettings.DATANODE_WRITE_CONNECTIONS_MAX.get(conf);
        if (connections == 0) {
            return null;
        }
        // What is asked of a port does not concern the Unix socket; over tcp there is no server then.
        String protection = TcpServing.protection(conf, false, 0);
        if (!protection.isEmpty()) {
            LOG.info("Clients write through stock HDFS: {}", protection);
            return null;
        }
        WriteLimits limits = new WriteLimits(
                connections,
                TimeUnit.MILLISECONDS.toNanos(TerraceWriteAccess.readTimeoutMs(datanode)),
                TimeUnit.MILLISECONDS.toNanos(TerraceWriteAccess.keepAliveMs(datanode)),
                TerraceSettings.DATANODE_WRITE_LAG_MAX.get(conf));
        DatasetBlockStore store =
                new DatasetBlockStore(datanode, copies, rules, TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf));
        WriteService service = new WriteService(
                datanode.getDatanodeUuid(), store, limits, new WriteMeter(metricRegistry, speeds), windows);
        metricRegistry.gauge(Metric.CHANNEL_WRITE_CONNECTIONS, service::connections);
        return service;
    }
}
