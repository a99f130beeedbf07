package io.terrace.bench.tierfaults;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.StorageType;

/**
 * When a daemon is killed, drawn from a seed.
 *
 * @param datanode the DataNode to be killed, counted from 1; 0 for the NameNode
 * @param from where all replicas are before
 * @param to where they are moving
 * @param arrived share of the moves that have ended
 * @param delayUs how long after that, microseconds
 */
record KillPoint(long seed, int datanode, StorageType from, StorageType to, double arrived, int delayUs) {
    /** In this order replicas go around, so that one point's end is the beginning of the next one. */
    private static final List<StorageType> ROUND =
            List.of(StorageType.DISK, StorageType.SSD, StorageType.NVDIMM, StorageType.ARCHIVE);

    private static final double MOST_ARRIVED = 0.9;

    /** What DataNodes were ordered before goes on during a failover; something must be left for the other NameNode. */
    private static final double MOST_BEFORE_FAILOVER = 0.5;

    /** About as long as a move takes, so that each of its steps is met. */
    private static final int MOST_DELAY_US = 60_000;

    /** Kills the NameNode. */
    static KillPoint ofNameNode(long seed) {
        return of(seed, 0, MOST_ARRIVED);
    }

    /** Kills the active one of two NameNodes. */
    static KillPoint ofFailover(long seed) {
        return of(seed, 0, MOST_BEFORE_FAILOVER);
    }

    /** Kills one of so many DataNodes. */
    static KillPoint ofDataNode(long seed, int datanodes) {
        return of(seed, 1 + new SplittableRandom(~seed).nextInt(datanodes), MOST_ARRIVED);
    }

    private static KillPoint of(long seed, int datanode, double mostArrived) {
        SplittableRandom random = new SplittableRandom(seed);
        int from = Math.floorMod(seed - 1, ROUND.size());
        return new KillPoint(
                seed,
                datanode,
                ROUND.get(from),
                ROUND.get((from + 1) % ROUND.size()),
                random.nextDouble(mostArrived),
                random.nextInt(MOST_DELAY_US));
    }

    /** The word of rules for a storage type, which is the name of its directory too. */
    static String tier(StorageType type) {
        return type == StorageType.NVDIMM ? "nvm" : type.name().toLowerCase(Locale.ROOT);
    }

    /** What it is, for messages. */
    String text() {
        return String.format(
                Locale.ROOT,
                "%s killed when %.0f %% had moved from %s to %s, and %d us later",
                datanode == 0 ? "the NameNode" : "DataNode " + datanode,
                arrived * 100,
                tier(from),
                tier(to),
                delayUs);
    }
}
