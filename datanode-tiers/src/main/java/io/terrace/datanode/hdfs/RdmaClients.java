package io.terrace.datanode.hdfs;

import io.terrace.channel.tcp.OneSidedRanges;
import io.terrace.channel.verbs.VerbsChoices;
import io.terrace.channel.verbs.VerbsExtents;
import io.terrace.channel.verbs.VerbsLimits;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.protocol.SettingKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether and where a DataNode serves its memory by RDMA, beside the tcp channel over which it is granted. */
final class RdmaClients {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaClients.class);

    /** Why it steps aside where block tokens are on. */
    static final String UNTRUSTED =
            "block tokens are on, and a card checks none, so whoever connects by RDMA could read"
                    + " what is registered; " + SettingKeys.CHANNEL_VERBS_TRUSTED_NETWORK.key()
                    + " = true says that the network is trusted with it";

    private RdmaClients() {}

    /**
     * What came of it.
     *
     * @param oneSided the same for those who grant; {@link OneSidedRanges#NONE} where there are none
     * @param trouble why there are none although they are wanted; empty otherwise
     */
    record Served(@Nullable VerbsExtents extents, OneSidedRanges oneSided, String trouble) {}

    /**
     * Starts to serve them at the transfer port plus {@code terrace.channel.verbs.port.offset}.
     *
     * @return without extents when the operator does not want it, where block tokens are on and the network is not said to
     *     be trusted, and where there is no device, library or port: tcp serves then
     */
    static Served serve(DataNode datanode, BlockTokens tokens, int extentsMax, Figures figures) {
        Configuration conf = datanode.getConf();
        int offset = conf.getInt(SettingKeys.CHANNEL_VERBS_PORT_OFFSET.key(), 0);
        if (offset == 0) {
            return new Served(null, OneSidedRanges.NONE, "");
        }
        int tcpOffset = conf.getInt(SettingKeys.CHANNEL_TCP_PORT_OFFSET.key(), 0);
        if (tcpOffset == 0) {
            return without("it is granted over the tcp channel, so set " + SettingKeys.CHANNEL_TCP_PORT_OFFSET.key());
        }
        InetSocketAddress transfer = datanode.getXferAddress();
        String protection = RemoteClients.protection(
                conf, UserGroupInformation.isSecurityEnabled(), transfer.getPort() + tcpOffset);
        if (!protection.isEmpty()) {
            return without(protection);
        }
        boolean trusted = conf.getBoolean(SettingKeys.CHANNEL_VERBS_TRUSTED_NETWORK.key(), false);
        if (tokens.areNeeded() && !trusted) {
            return without(UNTRUSTED);
        }
        int port = transfer.getPort() + offset;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(SettingKeys.CHANNEL_VERBS_PORT_OFFSET.key() + " is " + offset
                    + ", which leads to port " + port + "; write one that leads from " + transfer.getPort()
                    + " to 1 to 65535");
        }
        long registeredMax = conf.getLongBytes(
                SettingKeys.CHANNEL_VERBS_REGISTERED_MAX.key(),
                TraditionalBinaryPrefix.string2long(SettingKeys.CHANNEL_VERBS_REGISTERED_MAX.defaultValue()));
        VerbsLimits byDefault = VerbsLimits.DEFAULT;
        VerbsLimits limits =
                new VerbsLimits(byDefault.operations(), byDefault.sessions(), 2 * extentsMax, registeredMax);
        VerbsChoices choices = new VerbsChoices(
                conf.getBoolean(SettingKeys.CHANNEL_VERBS_LIBDISNI.key(), false),
                conf.getBoolean(SettingKeys.CHANNEL_VERBS_PAGING.key(), false));
        Runnable refused = () -> figures.increment(Figure.CHANNEL_VERBS_REFUSED);
        try {
            VerbsExtents extents =
                    VerbsExtents.open(new InetSocketAddress(transfer.getAddress(), port), limits, choices, refused);
            figures.gauge(
                    Figure.CHANNEL_VERBS_CONNECTIONS, () -> extents.listener().connections());
            figures.gauge(Figure.CHANNEL_VERBS_EXTENTS, () -> extents.listener().ranges());
            figures.gauge(
                    Figure.CHANNEL_VERBS_EXTENT_BYTES, () -> extents.listener().rangeBytes());
            figures.gauge(
                    Figure.CHANNEL_VERBS_HELD_OFF, () -> extents.listener().addressesHeldOff());
            LOG.info("Serving memory by RDMA at {}", extents.address());
            return new Served(
                    extents, trusted ? extents : new RdmaWithoutTokens(extents, tokens::areNeeded, refused), "");
        } catch (IOException | LinkageError e) {
            return without(String.valueOf(e.getMessage()));
        }
    }

    private static Served without(String trouble) {
        LOG.warn("Memory is not served by RDMA: {}", trouble);
        return new Served(null, OneSidedRanges.NONE, trouble);
    }
}
