package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The keys that the other side of a connection has shown and that led to a range, as many of the last as are worth keeping:
 * a connection keeps its place while one of them is good. Guarded by the link's lock.
 */
final class PresentedKeys {
    /** Who has more keys than this shows new ones before the last so many are void. */
    static final int MOST = 64;

    /** Who connects to attach does so at once. */
    static final long UNATTACHED_NS = TimeUnit.SECONDS.toNanos(10);

    /** As long as a lease: whoever reads on has another grant by then. */
    static final long VOID_NS = TimeUnit.SECONDS.toNanos(60);

    private final RangeRegistry ranges;
    private final Set<RegionKey> keys = new LinkedHashSet<>();
    private boolean attached;
    private long goodNs;

    PresentedKeys(RangeRegistry ranges, long begunNs) {
        this.ranges = ranges;
        this.goodNs = begunNs;
    }

    /** What a key leads to; null when it is void or lies about its range. */
    @Nullable
    Attachment show(RegionKey key, long nowNs) {
        Attachment found = ranges.find(key);
        if (found != null) {
            attached = true;
            goodNs = nowNs;
            keys.remove(key);
            keys.add(key);
            if (keys.size() > MOST) {
                Iterator<RegionKey> oldest = keys.iterator();
                oldest.next();
                oldest.remove();
            }
        }
        return found;
    }

    /** Data has landed in a window, as the other side says. */
    void landed(long number, LandedMessage landing) throws MalformedMessageException {
        ranges.landed(number, landing);
    }

    /** Whether one ever led somewhere. */
    boolean any() {
        return attached;
    }

    /** Whether the place is somebody else's: nothing was attached in time, or nothing of it has been good for long. */
    boolean areOver(long nowNs) {
        for (Iterator<RegionKey> each = keys.iterator(); each.hasNext(); each.remove()) {
            if (ranges.isGood(each.next())) {
                goodNs = nowNs;
                return false;
            }
        }
        return nowNs - goodNs > (attached ? VOID_NS : UNATTACHED_NS);
    }
}
