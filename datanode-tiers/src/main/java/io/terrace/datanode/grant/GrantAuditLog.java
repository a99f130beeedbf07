package io.terrace.datanode.grant;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.server.Peer;
import io.terrace.common.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line for each grant in the log where stock writes one for each descriptor that it passes, in its words. The reads
 * themselves go past the DataNode, as those of descriptors do.
 */
final class GrantAuditLog {
    static final String NAME = "org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace";

    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private GrantAuditLog() {}

    /** @param tokenUser whose token was shown; null where block tokens are off */
    static void granted(Peer peer, @Nullable String tokenUser, ExtentDescriptor descriptor) {
        if (LOG.isInfoEnabled()) {
            LOG.info(
                    "op: TERRACE_GRANT, cliID: {}, user: {}, tokenUser: {}, tier: {}, bytes: {}, blockid: {}",
                    LogText.shown(peer.client()),
                    LogText.shown(peer.user()),
                    tokenUser == null ? "" : LogText.shown(tokenUser),
                    descriptor.tier(),
                    descriptor.lengthBytes(),
                    descriptor.block().blockId());
        }
    }
}
