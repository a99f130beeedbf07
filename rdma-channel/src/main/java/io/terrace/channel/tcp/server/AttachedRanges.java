package io.terrace.channel.tcp.server;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ranges that one connection has attached, by their handles; bounded. Used by the loop that owns the session. */
final class AttachedRanges {
    /** Of one connection; a client of ours has half as many grants. */
    static final int MOST = 2048;

    private static final int FEW = 64;

    /** A handle is never used again: a region that was detached must not turn into another. */
    private final Map<Integer, TcpRange> byHandle = new HashMap<>();

    private int lastHandle;

    /** With so many, those that are void are let go of. */
    private int many = FEW;

    @Nullable
    TcpRange of(int handle) {
        return byHandle.get(handle);
    }

    /** Makes room for one more by letting go of what is void; whether there is room. */
    boolean hasRoom() {
        // All of them are looked at only when they have become twice as many, or as many as there may be.
        if (byHandle.size() >= many) {
            byHandle.values().removeIf(AttachedRanges::letGoIfVoid);
            many = Math.min(MOST, Math.max(FEW, 2 * byHandle.size()));
        }
        return byHandle.size() < MOST;
    }

    /** The handle of a range that was attached just now. */
    int add(TcpRange range) {
        lastHandle = Math.incrementExact(lastHandle);
        byHandle.put(lastHandle, range);
        return lastHandle;
    }

    void detach(int handle) {
        TcpRange range = byHandle.remove(handle);
        if (range != null) {
            range.detach();
        }
    }

    /** No operation on it may begin: it is let go of if none ever may. */
    void refused(int handle) {
        TcpRange range = byHandle.get(handle);
        if (range != null && letGoIfVoid(range)) {
            byHandle.remove(handle);
        }
    }

    void detachAll() {
        byHandle.values().forEach(TcpRange::detach);
        byHandle.clear();
    }

    int count() {
        return byHandle.size();
    }

    private static boolean letGoIfVoid(TcpRange range) {
        boolean isVoid = range.isVoid();
        if (isVoid) {
            range.detach();
        }
        return isVoid;
    }
}
