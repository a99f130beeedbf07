package io.terrace.channel.verbs.rdmacore;

/** How much memory this process may lock, which is what a device has to pin. */
public final class LockedMemory {
    private static final int RLIMIT_MEMLOCK = 8;
    private static final long UNLIMITED = -1;

    private LockedMemory() {}

    /** The limit in words, for a message. */
    public static String limit() {
        NativeMemory limits = NativeMemory.allocate(2 * Long.BYTES);
        int failed = Libc.getrlimit(RLIMIT_MEMLOCK, limits.address());
        limits.keep();
        long bytes = limits.bytes().getLong(0);
        if (failed != 0) {
            return "unknown";
        }
        return bytes == UNLIMITED ? "unlimited" : (bytes >> 10) + " KB";
    }
}
