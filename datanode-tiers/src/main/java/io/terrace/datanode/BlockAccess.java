package io.terrace.datanode;

import io.terrace.channel.BlockKey;
import io.terrace.channel.RefusalReason;

/** Whether somebody may read a block, as a stock read would be decided. Thread-safe. */
public interface BlockAccess {

    /** Ends never, as far as a lease is concerned. */
    long NO_END = Long.MAX_VALUE;

    /**
     * Checks a token.
     *
     * @param token a serialized HDFS token
     * @return how long it is valid, in milliseconds from now, or {@link #NO_END} where block tokens are off
     */
    long validMs(BlockKey block, byte[] token) throws Denied;

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
