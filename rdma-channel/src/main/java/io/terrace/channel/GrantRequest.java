package io.terrace.channel;

import io.terrace.common.BlockKey;
import java.util.Arrays;
import java.util.Objects;

/**
 * Asks for the bytes of a block.
 *
 * @param token the serialized HDFS block token (empty identifier and password where block tokens are off); not copied
 * @param write whether one-sided writes are wanted too
 */
public record GrantRequest(BlockKey block, byte[] token, boolean write) {
    public GrantRequest {
        Objects.requireNonNull(block, "block");
        Objects.requireNonNull(token, "token");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GrantRequest that
                && block.equals(that.block)
                && write == that.write
                && Arrays.equals(token, that.token);
    }

    @Override
    public int hashCode() {
        return 31 * block.hashCode() + Arrays.hashCode(token);
    }

    /** Leaves the token out: it is a secret. */
    @Override
    public String toString() {
        return "GrantRequest[" + block + (write ? ", write" : ", read") + "]";
    }
}
