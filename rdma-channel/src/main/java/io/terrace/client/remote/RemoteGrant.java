package io.terrace.client.remote;

import io.terrace.channel.transport.RemoteExtent;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.util.Arrays;

/**
 * The right to read one block in the memory of another host, or on its NVM.
 *
 * @param medium where the DataNode says that the bytes are
 * @param connection over which it was granted; void with it
 * @param endsNs when the lease ends, on this process's clock
 */
record RemoteGrant(
        Key key, long grantId, StorageTier medium, RemoteConnection connection, RemoteExtent region, long endsNs) {
    /**
     * What a grant may be shared by: the same user with the same token for the same block. Without block tokens, all are the
     * same, and two users in one JVM are told apart by who they are alone.
     *
     * @param tokenIdentifier not copied
     */
    record Key(String user, BlockKey block, byte[] tokenIdentifier) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key that
                    && block.equals(that.block)
                    && user.equals(that.user)
                    && Arrays.equals(tokenIdentifier, that.tokenIdentifier);
        }

        @Override
        public int hashCode() {
            return (31 * Arrays.hashCode(tokenIdentifier) + user.hashCode()) * 31 + block.hashCode();
        }

        @Override
        public String toString() {
            return block.toString();
        }
    }

    boolean holds(long nowNs) {
        return endsNs - nowNs > 0 && !connection.hasEnded();
    }
}
