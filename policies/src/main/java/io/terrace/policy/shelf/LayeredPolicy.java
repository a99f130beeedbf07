package io.terrace.policy.shelf;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.Policy;
import io.terrace.policy.Wishes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A policy made of one {@link Shelf} per boundary between tiers.
 *
 * <p>Shelf <i>k</i> says what deserves tier <i>k</i> or better. Where tiers hold copies ({@link
 * io.terrace.policy.Tier#copies}), its capacity is that of tier <i>k</i> and an object stands in the fastest tier whose
 * shelf holds it. Where objects move instead, its capacity also counts the moving tiers above, and an object climbs into
 * tier <i>k</i> only if the next shelf down holds it too, so no tier is ever booked over its capacity; what exceeds it
 * all the same, because a faster tier was left empty, goes one tier down.
 */
public final class LayeredPolicy implements Policy, Shelf.Evictions {

    private final String name;
    private final Shelf[] shelves;
    private final boolean[] copies;
    private final long[] capacities;
    private final int home;
    private final boolean allocateOnWrite;
    private final Ledger ledger;

    private long[] left = new long[16];
    private long[] leftBytes = new long[16];
    private int leftCount;

    public LayeredPolicy(String name, Hierarchy hierarchy, Shelf.Maker maker, boolean allocateOnWrite) {
        this(name, hierarchy, fill(hierarchy.home(), maker), allocateOnWrite);
    }

    /** As above with a maker of its own for each boundary, fastest first. */
    public LayeredPolicy(String name, Hierarchy hierarchy, Shelf.Maker[] makers, boolean allocateOnWrite) {
        this.name = name;
        this.allocateOnWrite = allocateOnWrite;
        home = hierarchy.home();
        ledger = new Ledger(hierarchy.size());
        shelves = new Shelf[home];
        copies = new boolean[home];
        capacities = new long[home];
        for (int k = 0; k < home; k++) {
            copies[k] = hierarchy.tier(k).copies();
            capacities[k] = hierarchy.tier(k).capacityBytes();
        }
        for (int k = 0; k < home; k++) {
            shelves[k] = makers[k].make(shelfCapacity(k));
        }
    }

    private static Shelf.Maker[] fill(int count, Shelf.Maker maker) {
        Shelf.Maker[] makers = new Shelf.Maker[count];
        Arrays.fill(makers, maker);
        return makers;
    }

    private long shelfCapacity(int k) {
        long sum = capacities[k];
        if (!copies[k]) {
            for (int j = k - 1; j >= 0 && !copies[j]; j--) {
                sum += capacities[j];
            }
        }
        return sum;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void access(Access access, Wishes wishes) {
        if (access.isWrite() && !allocateOnWrite) {
            return;
        }
        long object = access.object();
        if (access.tier() < home && !ledger.knows(object)) {
            adopt(access.nowMs(), object, access.sizeBytes(), access.tier());
        }
        long bookedBytes = ledger.sizeBytes(object);
        if (bookedBytes >= 0 && bookedBytes != access.sizeBytes()) {
            resized(object, access.sizeBytes());
        }
        for (int k = home - 1; k >= 0; k--) {
            shelves[k].access(access, this);
        }
        settleLeft(wishes);
        settle(object, access.sizeBytes(), wishes);
    }

    private void resized(long object, long sizeBytes) {
        ledger.resize(object, sizeBytes);
        for (Shelf shelf : shelves) {
            shelf.resized(object, sizeBytes, this);
        }
    }

    private void adopt(long nowMs, long object, long sizeBytes, int tier) {
        if (tier >= home) {
            return;
        }
        ledger.settle(object, sizeBytes, tier);
        int k = tier;
        do {
            shelves[k].adopt(nowMs, object, sizeBytes, this);
        } while (!copies[k] && ++k < home);
    }

    @Override
    public void evicted(long object, long sizeBytes) {
        if (leftCount == left.length) {
            left = Arrays.copyOf(left, leftCount * 2);
            leftBytes = Arrays.copyOf(leftBytes, leftCount * 2);
        }
        left[leftCount] = object;
        leftBytes[leftCount++] = sizeBytes;
    }

    private void settleLeft(Wishes wishes) {
        for (int i = 0; i < leftCount; i++) {
            settle(left[i], leftBytes[i], wishes);
        }
        leftCount = 0;
    }

    /** Brings the object's booking in line with the shelves. */
    private void settle(long object, long sizeBytes, Wishes wishes) {
        int wanted = wantedTier(object);
        int booked = ledger.tier(object);
        while (wanted < home
                && wanted != booked
                && !copies[wanted]
                && ledger.bookedBytes(wanted) + sizeBytes > capacities[wanted]) {
            wanted++;
        }
        if (wanted != booked) {
            ledger.wish(object, sizeBytes, wanted);
            wishes.place(object, sizeBytes, booked, wanted);
        }
    }

    private int wantedTier(long object) {
        int wanted = home;
        boolean below = true;
        for (int k = home - 1; k >= 0; k--) {
            below = shelves[k].holds(object) && (copies[k] || below);
            if (below) {
                wanted = k;
            }
        }
        return wanted;
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        int booked = ledger.tier(object);
        if (ledger.pending(object)) {
            if (tier == booked) {
                if (ledger.climbing(object)) {
                    shelves[tier].arrived(nowMs, object);
                }
                ledger.settle(object, sizeBytes, tier);
            }
            return;
        }
        correct(nowMs, object, sizeBytes, tier, wishes);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        correct(nowMs, object, sizeBytes, tier, wishes);
    }

    private void correct(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        for (int k = 0; k < Math.min(tier, home); k++) {
            shelves[k].drop(object);
        }
        ledger.settle(object, sizeBytes, Math.min(tier, home));
        adopt(nowMs, object, sizeBytes, tier);
        settleLeft(wishes);
    }

    @Override
    public void vanished(long nowMs, long object) {
        for (Shelf shelf : shelves) {
            shelf.forget(object);
        }
        ledger.forget(object);
    }

    @Override
    public void tick(long nowMs, Wishes wishes) {
        // Shelves decide on accesses alone.
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, Wishes wishes) {
        if (tier < 0 || tier >= home) {
            throw new IllegalArgumentException("tier " + tier + " cannot be resized; only 0.." + (home - 1) + " can");
        }
        if (capacityBytes < 0) {
            throw new IllegalArgumentException("capacity " + capacityBytes + " of tier " + tier + " is negative");
        }
        capacities[tier] = capacityBytes;
        for (int k = home - 1; k >= tier; k--) {
            shelves[k].resize(shelfCapacity(k), this);
        }
        settleLeft(wishes);
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        int tier = ledger.tier(object);
        // The boundary that decides: the one below the object's tier if it stands above one, else the first above it.
        Explanation answer = tier < home ? shelves[tier].explain(nowMs, object, tier) : null;
        for (int k = home - 1; k >= 0 && answer == null; k--) {
            answer = shelves[k].explain(nowMs, object, tier);
        }
        return answer;
    }

    @Override
    public long trackedObjects() {
        long most = 0;
        for (Shelf shelf : shelves) {
            most = Math.max(most, shelf.trackedObjects());
        }
        return most;
    }

    @Override
    public long memoryBytes() {
        long sum = ledger.memoryBytes();
        for (Shelf shelf : shelves) {
            sum += shelf.memoryBytes();
        }
        return sum;
    }
}
