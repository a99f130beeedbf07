package io.terrace.datanode.hdfs;

import io.terrace.channel.server.OneSidedRanges;
import io.terrace.channel.verbs.ExtentRegistry;
import io.terrace.channel.verbs.ListenerWindows;
import io.terrace.channel.verbs.VerbsLimits;
import io.terrace.channel.verbs.VerbsOptions;
import io.terrace.channel.write.LandingWindows;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether and where a DataNode serves its memory by RDMA, beside the tcp channel over which it is granted. */
final class VerbsServing {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsServing.class);

    /** Why it steps aside where block tokens are on. */
    static final String UNTRUSTED =
            "block tokens are on, and a card checks none, so whoever connects by RDMA could read"
                    + " what is registered; " + TerraceSettings.CHANNEL_VERBS_TRUSTED_NETWORK.key()
                    + " = true says that the network is trusted with it";

    private VerbsServing() {}

    /**
     * What came of it.
     *
     * @param oneSided the same for those who grant; {@link OneSidedRanges#NONE} where there are none
     * @param windows that clients write into; {@link LandingWindows#NONE} where there are none
     * @param problem why there were none at the start although they are wanted; empty otherwise
     */
    record Served(@Nullable ExtentRegistry extents, OneSidedRanges oneSided, LandingWindows windows, String problem) {
        /** Also why there is none for now, as after the device was removed. */
        String problemNow() {
            return extents == null ? problem : extents.problem();
        }

        private static Served without(String problem) {
            return new Served(null, OneSidedRanges.NONE, LandingWindows.NONE, problem);
        }
    }

    /**
     * Starts to serve them at the transfer port plus {@code terrace.channel.verbs.port.offset}.
     *
     * @return without extents when the operator does not want it, where block tokens are on and the network is not said to
     *     be trusted, and where there is no device, library or port: tcp serves then
     */
    static Served serve(DataNode datanode, BlockTokens tokens, int extentsMax, MetricRegistry metricRegistry) {
        Configuration conf = datanode.getConf();
        int offset = TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.get(conf);
        if (offset == 0) {
            return Served.without("");
        }
        int tcpOffset = TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf);
        if (tcpOffset == 0) {
            return without(
                    "it is granted over the tcp channel, so set " + TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key());
        }
        InetSocketAddress transfer = datanode.getXferAddress();
        String protection =
                TcpServing.protection(conf, UserGroupInformation.isSecurityEnabled(), transfer.getPort() + tcpOffset);
        if (!protection.isEmpty()) {
            return without(protection);
        }
        boolean trusted = TerraceSettings.CHANNEL_VERBS_TRUSTED_NETWORK.get(conf);
        if (tokens.areNeeded() && !trusted) {
            return without(UNTRUSTED);
        }
        int port = transfer.getPort() + offset;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.key() + " is " + offset
                    + ", which leads to port " + port + "; write one that leads from " + transfer.getPort()
                    + " to 1 to 65535");
        }
        // Read before anything is opened: a setting that is wrong ends the start.
        long windowsMax = TerraceSettings.DATANODE_WRITE_WINDOWS_MAX.get(conf);
        long registeredMax = TerraceSettings.CHANNEL_VERBS_REGISTERED_MAX.get(conf);
        VerbsLimits byDefault = VerbsLimits.DEFAULT;
        VerbsLimits limits =
                new VerbsLimits(byDefault.operations(), byDefault.sessions(), 2 * extentsMax, registeredMax);
        VerbsOptions choices = new VerbsOptions(
                TerraceSettings.CHANNEL_VERBS_LIBDISNI.get(conf), TerraceSettings.CHANNEL_VERBS_PAGING.get(conf));
        Runnable refused = () -> metricRegistry.increment(Metric.CHANNEL_VERBS_REFUSED);
        try {
            ExtentRegistry extents =
                    ExtentRegistry.open(new InetSocketAddress(transfer.getAddress(), port), limits, choices, refused);
            extents.tellRefusedConnections(() -> metricRegistry.increment(Metric.CHANNEL_VERBS_CONNECTIONS_REFUSED));
            metricRegistry.gauge(
                    Metric.CHANNEL_VERBS_CONNECTIONS, () -> extents.listener().connections());
            metricRegistry.gauge(
                    Metric.CHANNEL_VERBS_EXTENTS, () -> extents.listener().ranges());
            metricRegistry.gauge(
                    Metric.CHANNEL_VERBS_EXTENT_BYTES, () -> extents.listener().rangeBytes());
            metricRegistry.gauge(
                    Metric.CHANNEL_VERBS_HELD_OFF, () -> extents.listener().addressesHeldOff());
            LOG.info("Serving memory by RDMA at {}", extents.address());
            ListenerWindows windows = extents.windows(windowsMax);
            metricRegistry.gauge(Metric.CHANNEL_WRITE_WINDOWS, windows::count);
            return trusted
                    ? new Served(extents, extents, windows, "")
                    : new Served(
                            extents,
                            new TokenlessVerbs(extents, tokens::areNeeded, refused),
                            new TokenlessWindows(windows, tokens::areNeeded),
                            "");
        } catch (IOException | LinkageError e) {
            return without(String.valueOf(e.getMessage()));
        }
    }

    private static Served without(String problem) {
        LOG.warn("Memory is not served by RDMA: {}", problem);
        return Served.without(problem);
    }
}
