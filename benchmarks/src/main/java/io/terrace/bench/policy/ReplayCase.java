package io.terrace.bench.policy;

import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * One case of the comparison: a trace, a number of tiers and the share of the footprint that the fastest one holds.
 *
 * @param trace file name without its endings, and suffixes: {@code .block} replays 128 MB blocks, {@code .lag60} lets a
 *     promotion help only reads 60 s later, {@code .4t} has four tiers of 1, 3 and 8 times the memory and home
 * @param tiers 2 or 4
 * @param memory share of the summed size of the distinct objects read
 */
record ReplayCase(String trace, int tiers, double memory) {

    static final long BLOCK_BYTES = 128L << 20;

    private static final long LAG_MS = 60_000;

    ReplayCase {
        if (tiers != 2 && tiers != 4) {
            throw new IllegalArgumentException("trace " + trace + ": " + tiers + " tiers, but only 2 and 4 are known");
        }
        if (!(memory > 0 && memory <= 1)) {
            throw new IllegalArgumentException("trace " + trace + ": memory share " + memory + " is not in 0..1");
        }
    }

    /** Name of the trace's file, without endings. */
    String file() {
        return trace.replaceAll("\\.(file|block|small|lag60|4t)", "");
    }

    boolean inBlocks() {
        return trace.contains(".block");
    }

    boolean lagged() {
        return trace.contains(".lag60");
    }

    /** Whether the cell counts for the summary of two tiers. */
    boolean plain() {
        return tiers == 2 && !lagged();
    }

    ReplayConditions replayConditions() {
        return lagged() ? ReplayConditions.delayed(LAG_MS) : ReplayConditions.INSTANT;
    }

    String key() {
        return trace + "/" + BigDecimal.valueOf(memory).stripTrailingZeros().toPlainString();
    }

    /** Tiers as in the reference: each holds copies; latencies and rates of memory, NVM, SSD and disk. */
    TierHierarchy hierarchy(long footprintBytes) {
        long bytes = (long) (footprintBytes * memory);
        List<TierSpec> all = new ArrayList<>();
        all.add(new TierSpec("memory", bytes, 1_000, 10_000_000_000L, true));
        if (tiers == 4) {
            all.add(new TierSpec("nvm", 3 * bytes, 10_000, 3_000_000_000L, true));
            all.add(new TierSpec("ssd", 8 * bytes, 100_000, 500_000_000, true));
        }
        all.add(new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        return new TierHierarchy(all);
    }
}
