package io.terrace.channel.verbs;

/**
 * What an operator chooses about RDMA in one process.
 *
 * @param libdisni whether to use DiSNI's own native library, which no distribution has, instead of rdma-core's
 * @param paging whether to register ranges without pinning them, where the device is known to do that right
 */
public record VerbsOptions(boolean libdisni, boolean paging) {
    /** rdma-core's libraries, and everything pinned. */
    public static final VerbsOptions DEFAULT = new VerbsOptions(false, false);

    /** Whether the device is to be asked for paging: libdisni does not say which device it is, so none is trusted there. */
    boolean mayPage() {
        return paging && !libdisni;
    }
}
