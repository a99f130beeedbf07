package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.StandInDataNode;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that change placement, and who may give them. */
@Tag("cluster")
class PlacementCtlChangesTest extends PlacementCtlFixture {
    @Test
    void change_withoutRights_isRefusedAndAudited() throws Exception {
        assertThat(runAs("stranger", "off")).isEqualTo(1);
        assertThat(err).contains("may not change placement");
        assertThat(audit.lines())
                .singleElement()
                .asString()
                .contains("allowed=false\tugi=stranger")
                .contains("cmd=terrace.off");
        assertThat(dataNode.beat().getServe()).isTrue();
    }

    @Test
    void change_byAclUser_isAllowedAndAudited() throws Exception {
        assertThat(runAs("operator", "pause")).isZero();
        assertThat(run("status")).isZero();
        assertThat(out).contains("moves paused");
        assertThat(runAs("operator", "resume")).isZero();
        assertThat(audit.lines()).hasSize(2).allMatch(line -> line.startsWith("allowed=true\tugi=operator"));
    }

    @Test
    void offAndOn_reachDataNodesAndAreKeptInTheNamespace() throws Exception {
        assertThat(run("off")).isZero();
        assertThat(dataNode.beat().getServe()).isFalse();
        assertThat(fs.getXAttr(new Path("/"), "trusted.terrace.placement"))
                .asString()
                .contains("serve=false");
        assertThat(run("doctor")).isEqualTo(1);
        assertThat(out).contains("Terrace is switched off");
        assertThat(run("on")).isZero();
        assertThat(dataNode.beat().getServe()).isTrue();
    }

    @Test
    void demoteAndPromote_reachTheDataNode() throws Exception {
        DFSTestUtil.createFile(fs, new Path("/data/other"), 2 * BLOCK, (short) 2, 7);
        assertThat(run("promote", "/data/other")).isZero();
        assertThat(out).contains("1 block to be promoted");
        dataNode.beat();
        dataNode.beat();
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/data/other"));
        assertThat(dataNode.memory).containsKey(block.getBlockId());
        assertThat(run("explain", "blk_" + block.getBlockId())).isZero();
        assertThat(out)
                .as("kept from the policy for a while")
                .containsPattern(", held\\n")
                .contains("The policy decides in ", "placementctl demote");
        assertThat(run("promote", "/data/other")).isZero();
        assertThat(out).contains("1 block is in memory already").contains("in memory on");
        assertThat(run("demote", "blk_" + block.getBlockId())).isZero();
        dataNode.beat();
        assertThat(dataNode.memory).doesNotContainKey(block.getBlockId());
        assertThat(audit.lines()).anyMatch(line -> line.contains("cmd=terrace.promote\tsrc=/data/other"));
    }

    @Test
    void promoteWait_untilTheBlockIsThere_andSaysWhyOneIsNot() throws Exception {
        DFSTestUtil.createFile(fs, new Path("/data/waited"), BLOCK, (short) 2, 7);
        long block = DFSTestUtil.getFirstBlock(fs, new Path("/data/waited")).getBlockId();
        assertThat(run("promote", "/data/waited", "--wait", "--timeout", "1ms")).isEqualTo(1);
        assertThat(out).contains("0 of 1 blocks are in memory", "not done after 1 ms and will go on");
        try (Beats beats = new Beats(dataNode)) {
            assertThat(run("promote", "/data/waited", "--wait")).as(out + err).isZero();
            assertThat(out).contains("The block is in memory.");
            assertThat(run("promote", "/data/waited", "--wait", "--json")).isZero();
            assertThat(JSON.readTree(out).at("/wait/inMemory").asInt()).isOne();
        }
        assertThat(dataNode.memory).containsKey(block);
        DFSTestUtil.createFile(fs, new Path("/data/too large"), 9 * BLOCK, (short) 2, 7);
        assertThat(run("promote", "/data/too large", "--wait")).isEqualTo(1);
        assertThat(out).contains("0 of 1 blocks", "no DataNode that holds it is live, serves, and has a memory tier");
        assertThat(run("demote", "blk_" + block)).isZero();
        dataNode.beat();
        dataNode.beat();
    }

    /** Heartbeats from another thread, while the command waits for what they carry. */
    private static final class Beats implements AutoCloseable {

        private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        private final Future<?> beats;

        Beats(StandInDataNode dataNode) {
            beats = thread.scheduleWithFixedDelay(
                    () -> {
                        try {
                            dataNode.beat();
                        } catch (ServiceException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    0,
                    20,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() throws InterruptedException {
            beats.cancel(false);
            thread.shutdown();
            assertThat(thread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void pinAndUnpin_fileIsPromotedAndShown() throws Exception {
        DFSTestUtil.createFile(fs, new Path("/data/pinned"), BLOCK, (short) 2, 7);
        long id = DFSTestUtil.getFirstBlock(fs, new Path("/data/pinned")).getBlockId();
        assertThat(run("pin", "/data/pinned")).isZero();
        // The other DataNode with a replica never reports what it has, and the choice waits 30 s for it.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            dataNode.beat();
            return dataNode.memory.containsKey(id);
        });
        dataNode.beat();
        assertThat(run("explain", "/data/pinned")).isZero();
        assertThat(out).contains(", pinned");
        assertThat(run("demote", "/data/pinned")).isEqualTo(1);
        assertThat(out).contains("it is pinned");
        assertThat(run("unpin", "/data/pinned")).isZero();
        assertThat(run("pin", "blk_" + id)).isEqualTo(1);
        assertThat(err).contains("are pinned, not blocks");
    }
}
