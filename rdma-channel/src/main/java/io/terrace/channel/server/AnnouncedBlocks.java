package io.terrace.channel.server;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The blocks that clients of other hosts are told they may ask for: those that are live in the slot table, which
 * clients of this host read by themselves, and others that are for clients of other hosts only. Thread-safe.
 *
 * <p>Not final: a test lets it fail.
 */
public class AnnouncedBlocks {
    private final SlotTable table;
    private final Set<Long> others = new HashSet<>();

    /** Those of the table, and no others yet. */
    public AnnouncedBlocks(SlotTable table) {
        this.table = table;
    }

    /** Announces a block besides those of the table. */
    public synchronized void add(BlockKey block) {
        others.add(SlotTable.fingerprint(table.fingerprintKey(), block));
    }

    /** Announces it no more. */
    public synchronized void remove(BlockKey block) {
        others.remove(SlotTable.fingerprint(table.fingerprintKey(), block));
    }

    /** Differs with every process that announces. */
    long incarnation() {
        return table.incarnation();
    }

    /** What fingerprints are made with. */
    long fingerprintKey() {
        return table.fingerprintKey();
    }

    /** The fingerprints of all, each once, in ascending order. */
    long[] sortedFingerprints() {
        long[] live = table.liveFingerprints();
        synchronized (this) {
            int count = live.length;
            live = Arrays.copyOf(live, count + others.size());
            for (long other : others) {
                live[count++] = other;
            }
        }
        Arrays.sort(live);
        int kept = 0;
        for (int i = 0; i < live.length; i++) {
            if (i == 0 || live[i] != live[i - 1]) {
                live[kept++] = live[i];
            }
        }
        return Arrays.copyOf(live, kept);
    }
}
