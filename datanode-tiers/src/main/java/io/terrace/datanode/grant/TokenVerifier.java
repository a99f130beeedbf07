package io.terrace.datanode.grant;

import io.terrace.channel.RefusalReason;
import io.terrace.common.BlockKey;
import org.jspecify.annotations.Nullable;

/** Whether somebody may read a block, as a stock read would be decided. Thread-safe. */
public interface TokenVerifier {

    /** Ends never, as far as a lease is concerned. */
    long NO_END = Long.MAX_VALUE;

    /**
     * What a token allows.
     *
     * @param validMs from now, or {@link #NO_END}
     * @param user whose token it is; null where block tokens are off
     */
    record Allowed(long validMs, @Nullable String user) {
        /** Where block tokens are off, everybody may read. */
        public static final Allowed TO_ALL = new Allowed(NO_END, null);
    }

    /**
     * Checks a token.
     *
     * @param token a serialized HDFS token
     */
    Allowed check(BlockKey block, byte[] token) throws Denied;

    /** The token does not allow it. */
    final class Denied extends Exception {
        private static final long serialVersionUID = 1;

        private final RefusalReason reason;

        public Denied(RefusalReason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public RefusalReason reason() {
            return reason;
        }
    }
}
