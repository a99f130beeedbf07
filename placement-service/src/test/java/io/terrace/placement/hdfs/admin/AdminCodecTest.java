package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.hdfs.admin.AdminCodec.Reader;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.BlockFacts;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.policy.api.Explanation;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.AdminProtos.WhyProto;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdminCodecTest {

    private static final long COMPETITOR = 1_073_741_999L;
    private static final Explanation WHY = new Explanation(
            "lru",
            "latest",
            1,
            0,
            2,
            1,
            3,
            COMPETITOR,
            "read 2 times; next to leave is object " + COMPETITOR + ", read once");

    private static WhyProto why(boolean full) {
        ReplicaReport.Host host = new ReplicaReport.Host(true, 0, 0, 10, 0, 0, 1, 0, 0, false);
        ReplicaReport replica = new ReplicaReport(
                "uuid", "node:1", true, true, false, 0, true, 1, 0, 0, WHY, null, 0, null, null, host, null);
        BlockReport report = new BlockReport(1, null, false, null, null, null, List.of(replica), List.of());
        BlockFacts facts = new BlockFacts(new StampedBlock(1, 1, 1), 5, "complete", List.of());
        return AdminCodec.block(facts, report, new Reader(0, Map.of(), full))
                .getReplicas(0)
                .getWhy();
    }

    @Test
    void block_rivalIsNamedToThoseWhoMayChangePlacementAlone() {
        assertThat(why(true).getRivalBlockId()).isEqualTo(COMPETITOR);
        assertThat(why(true).getSentence()).isEqualTo(WHY.sentence());
        assertThat(why(false).hasRivalBlockId()).isFalse();
        assertThat(why(false).getSentence()).isEqualTo("read 2 times; next to leave is another block, read once");
    }

    @Test
    void messageOfAMove_namesNoBlockToOthers() {
        String said = "no replica of BP-1-127.0.0.1-5:blk_-12_1003; blk_7 is open";
        assertThat(new Reader(0, Map.of(), true).message(said)).isEqualTo(said);
        assertThat(new Reader(0, Map.of(), false).message(said))
                .isEqualTo("no replica of the block; the block is open");
    }
}
