package io.terrace.datanode.hdfs;

import io.terrace.channel.Grant;
import io.terrace.channel.server.OneSidedRanges;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.LogThrottle;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDMA for as long as no block tokens are needed: a NameNode may ask for them that the DataNode's configuration does not
 * name. From then on nothing more is registered, so that tcp alone serves. Thread-safe.
 */
final class TokenlessVerbs implements OneSidedRanges {
    private static final Logger LOG = LoggerFactory.getLogger(TokenlessVerbs.class);

    private final OneSidedRanges rdma;
    private final BooleanSupplier tokens;
    private final Runnable refused;
    private final LogThrottle refusals = LogThrottle.once();

    /**
     * Lets through what needs no token.
     *
     * @param tokens whether they are needed
     * @param refused told of each grant that tcp alone serves
     */
    TokenlessVerbs(OneSidedRanges rdma, BooleanSupplier tokens, Runnable refused) {
        this.rdma = rdma;
        this.tokens = tokens;
        this.refused = refused;
    }

    @Override
    public String where() {
        return tokens.getAsBoolean() ? "" : rdma.where();
    }

    @Override
    public void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums) {
        if (!tokens.getAsBoolean()) {
            rdma.granted(grant, key, file, checksums);
            return;
        }
        refused.run();
        if (refusals.first()) {
            LOG.warn("Memory is not served by RDMA any more: {}", VerbsServing.UNTRUSTED);
        }
    }

    @Override
    public void retired(RegionKey key) {
        rdma.retired(key);
    }

    @Override
    public long ended(RegionKey key) {
        return rdma.ended(key);
    }
}
