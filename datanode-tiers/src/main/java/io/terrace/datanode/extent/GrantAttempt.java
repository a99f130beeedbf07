package io.terrace.datanode.extent;

import org.jspecify.annotations.Nullable;

/**
 * A grant and its lease, or why there is none.
 *
 * @param grant null when it was refused
 * @param leaseNs from now
 * @param refused null when it was granted
 */
public record GrantAttempt(@Nullable GrantRecord grant, long leaseNs, @Nullable Refused refused) {

    /** Why a grant was refused. */
    public enum Refused {
        NOT_RESIDENT,
        STALE_STAMP,
        NO_SLOT,
        TOO_MANY_GRANTS,
        TOKEN_OVER,
        OFF
    }

    static GrantAttempt refuse(Refused refused) {
        return new GrantAttempt(null, 0, refused);
    }
}
