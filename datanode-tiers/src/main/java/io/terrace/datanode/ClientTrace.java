package io.terrace.datanode;

import io.terrace.channel.Descriptor;
import io.terrace.channel.Peer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line for each grant in the log where stock writes one for each descriptor that it passes, in its words. The reads
 * themselves go past the DataNode, as those of descriptors do.
 */
final class ClientTrace {
    static final String NAME = "org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace";

    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private ClientTrace() {}

    /** @param tokenUser whose token was shown; null where block tokens are off */
    static void granted(Peer peer, @Nullable String tokenUser, Descriptor descriptor) {
        if (LOG.isInfoEnabled()) {
            LOG.info(
                    "op: TERRACE_GRANT, cliID: {}, user: {}, tokenUser: {}, tier: {}, bytes: {}, blockid: {}",
                    StrangersText.shown(peer.client()),
                    StrangersText.shown(peer.user()),
                    tokenUser == null ? "" : StrangersText.shown(tokenUser),
                    descriptor.tier(),
                    descriptor.lengthBytes(),
                    descriptor.block().blockId());
        }
    }
}
