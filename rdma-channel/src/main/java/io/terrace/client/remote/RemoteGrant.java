package io.terrace.client.remote;

import io.terrace.channel.transport.RemoteExtent;
import io.terrace.client.CachedGrant;
import io.terrace.client.GrantKey;
import io.terrace.common.StorageTier;
import java.util.concurrent.TimeUnit;

/**
 * The right to read one block in the memory of another host, or on its NVM.
 *
 * @param key with what identifies the block token, not all of it
 * @param medium where the DataNode says that the bytes are
 * @param connection over which it was granted; void with it
 * @param endsNs when the lease ends, on this process's clock
 */
record RemoteGrant(
        GrantKey key, long grantId, StorageTier medium, RemoteConnection connection, RemoteExtent region, long endsNs)
        implements CachedGrant {
    /** A grant whose lease is about to end is not used for something new. */
    private static final long LEASE_MARGIN_NS = TimeUnit.MILLISECONDS.toNanos(50);

    @Override
    public boolean isUsable() {
        return holds(System.nanoTime() + LEASE_MARGIN_NS);
    }

    /** Whether its lease has ended, or is about to. */
    boolean isOver() {
        return endsNs - System.nanoTime() <= LEASE_MARGIN_NS;
    }

    boolean holds(long nowNs) {
        return endsNs - nowNs > 0 && !connection.hasEnded();
    }
}
