package io.terrace.placement.journal;

import io.terrace.placement.journal.HeatRecord.Share;
import io.terrace.protocol.StampedBlock;
import java.util.List;

/** Records for tests. */
final class Records {

    private Records() {}

    static HeatRecord heat(long id, float reads, long lastMs) {
        return new HeatRecord(
                new StampedBlock(id, 1000 + id, 128 << 20),
                lastMs,
                10,
                1_000,
                100,
                "one",
                List.of(new Share("one", reads)));
    }

    static MoveRecord move(long blockId, long id, long endedMs, String reason) {
        StampedBlock block = new StampedBlock(blockId, 1000 + blockId, 1 << 20);
        return new MoveRecord(
                7,
                id,
                block,
                "host:9866",
                true,
                null,
                null,
                "policy",
                reason,
                "done",
                "",
                endedMs - 10,
                endedMs,
                1 << 20);
    }
}
