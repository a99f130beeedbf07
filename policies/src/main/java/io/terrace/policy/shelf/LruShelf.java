package io.terrace.policy.shelf;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import org.jspecify.annotations.Nullable;

/** Admits everything that fits, evicts the least recently used. */
public final class LruShelf implements Shelf {

    private static final int NONE = ObjectTable.NONE;

    private final ObjectTable table = new ObjectTable();
    private final Chain chain = new Chain();
    private long[] readMs = {};
    private long capacityBytes;

    public LruShelf(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    @Override
    public void access(Access access, Evictions evictions) {
        int slot = table.find(access.object());
        if (slot != NONE) {
            chain.moveToHead(slot);
            readMs[slot] = access.nowMs();
        } else if (access.sizeBytes() <= capacityBytes) {
            adopt(access.nowMs(), access.object(), access.sizeBytes(), evictions);
        }
    }

    @Override
    public void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        if (table.find(object) != NONE) {
            return;
        }
        makeRoom(capacityBytes - sizeBytes, evictions);
        int slot = table.add(object, sizeBytes);
        readMs = ObjectTable.grown(readMs, table.slotCapacity());
        readMs[slot] = nowMs;
        chain.pushHead(slot, sizeBytes);
        makeRoom(capacityBytes, evictions);
    }

    private void makeRoom(long bytes, Evictions evictions) {
        while (chain.bytes() > bytes && chain.tail() != NONE) {
            int victim = chain.tail();
            long sizeBytes = table.size(victim);
            chain.remove(victim, sizeBytes);
            table.remove(victim);
            evictions.evicted(table.id(victim), sizeBytes);
        }
    }

    @Override
    public void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = table.find(object);
        if (slot == NONE) {
            return;
        }
        chain.remove(slot, table.size(slot));
        if (sizeBytes > capacityBytes) {
            table.remove(slot);
            evictions.evicted(object, sizeBytes);
            return;
        }
        table.resize(slot, sizeBytes);
        chain.pushHead(slot, sizeBytes);
        makeRoom(capacityBytes, evictions);
    }

    @Override
    public boolean holds(long object) {
        return table.find(object) != NONE;
    }

    @Override
    public void drop(long object) {
        int slot = table.find(object);
        if (slot != NONE) {
            chain.remove(slot, table.size(slot));
            table.remove(slot);
        }
    }

    @Override
    public void resize(long bytes, Evictions evictions) {
        capacityBytes = bytes;
        makeRoom(bytes, evictions);
    }

    @Override
    public long usedBytes() {
        return chain.bytes();
    }

    @Override
    public long capacityBytes() {
        return capacityBytes;
    }

    @Override
    public long trackedObjects() {
        return table.count();
    }

    @Override
    public long memoryBytes() {
        return table.memoryBytes() + chain.memoryBytes() + 8L * readMs.length;
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = table.find(object);
        if (slot == NONE) {
            return null;
        }
        long ageMs = Math.max(0, nowMs - readMs[slot]);
        int oldest = chain.tail();
        return new Explanation(
                "lru",
                "recently used",
                object,
                tier,
                Double.NaN,
                Double.NaN,
                ageMs,
                oldest == slot ? Explanation.NO_RIVAL : table.id(oldest),
                "used " + ageMs / 1000 + " s ago; "
                        + (oldest == slot
                                ? "it is the next to leave"
                                : "the next to leave was used " + Math.max(0, nowMs - readMs[oldest]) / 1000
                                        + " s ago"));
    }
}
