package io.terrace.client;

import io.terrace.common.BlockKey;
import java.util.Arrays;

/**
 * What a grant may be shared by: the same user with the same token for the same block. Another token means asking again,
 * since only the DataNode can tell a good one; two users in one JVM never share. Without block tokens all tokens are equal,
 * and the user alone tells readers apart.
 */
public final class GrantKey {
    private final String user;
    private final byte[] token;
    private final BlockKey block;
    private final int hash;

    /** @param token all of it, or what identifies it; not copied */
    public GrantKey(String user, byte[] token, BlockKey block) {
        this.user = user;
        this.token = token;
        this.block = block;
        this.hash = (31 * Arrays.hashCode(token) + user.hashCode()) * 31 + block.hashCode();
    }

    byte[] token() {
        return token;
    }

    public BlockKey block() {
        return block;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GrantKey that
                && hash == that.hash
                && block.equals(that.block)
                && user.equals(that.user)
                && Arrays.equals(token, that.token);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Leaves user and token out. */
    @Override
    public String toString() {
        return block.toString();
    }
}
