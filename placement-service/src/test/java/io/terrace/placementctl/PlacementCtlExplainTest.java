package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code explain} really prints. */
@Tag("cluster")
class PlacementCtlExplainTest extends PlacementCtlFixture {
    @Test
    void explain_pathAndBlock_tellRuleAndMoves() throws Exception {
        assertThat(run("explain", "/data/hot file")).isZero();
        assertThat(out)
                .contains("blk_" + hot.getBlockId())
                .containsPattern("1\\.0 MB {3}IN MEMORY of [a-z0-9.]+:\\d+ for \\d+ m?s")
                .contains("  Why    Read 5 times, last ")
                .contains("  Next   Stays until it is among the least read")
                .containsPattern("\\d+ m?s, home +5 ")
                .contains("without Terrace")
                .contains("into memory of ", "policy  done, 1.0 MB in ")
                .containsPattern("read 5 times within \\d+ m?s\n")
                .doesNotContain("adaptive", "2^");
        assertThat(run("explain", "/data/hot file", "--numbers")).isZero();
        assertThat(out).contains("adaptive", "2^");
        assertThat(run("explain", "blk_" + hot.getBlockId(), "--json")).isZero();
        JsonNode block = JSON.readTree(out).get("blocks").get(0);
        assertThat(block.get("verdict").asText()).startsWith("IN MEMORY of ");
        assertThat(block.get("next").asText()).startsWith("Stays until ");
        assertThat(block.get("replicas")).hasSize(2);
        assertThat(block.get("lastMoves").get(0).get("state").asText()).isEqualTo("done");
    }

    @Test
    void explain_blockOfAnErasureCodedFile_isOfThatBlockAlone() throws Exception {
        fs.mkdirs(new Path("/coded"));
        fs.enableErasureCodingPolicy("XOR-2-1-1024k");
        fs.setErasureCodingPolicy(new Path("/coded"), "XOR-2-1-1024k");
        Path file = new Path("/coded/two groups");
        DFSTestUtil.createFile(fs, file, 64 << 10, 3 * BLOCK, BLOCK, (short) 1, 7);
        long second = DFSTestUtil.getAllBlocks(fs, file)
                .get(1)
                .getBlock()
                .getLocalBlock()
                .getBlockId();
        assertThat(second).as("ids of groups").isNegative();
        assertThat(run("explain", "blk_" + second, "--json")).as(err).isZero();
        JsonNode blocks = JSON.readTree(out).get("blocks");
        assertThat(blocks).hasSize(1);
        assertThat(blocks.get(0).toString()).contains(String.valueOf(second));
        assertThat(run("history", "blk_" + second, "--json")).as(err).isZero();
    }

    @Test
    void explain_openFile_tellsWhoWritesIt() throws Exception {
        Path open = new Path("/data/open");
        int block = 1 << 20;
        try (FSDataOutputStream stream = fs.create(open, true, 4096, (short) 1, block)) {
            stream.write(new byte[3 * block + 700]);
            stream.hflush();
            assertThat(run("explain", "/data/open", "--blocks", "2")).isZero();
            assertThat(out())
                    .contains(
                            "OPEN FOR WRITE by " + fs.getClient().getClientName()
                                    + " on 127.0.0.1: 3 blocks are complete," + " 1 is being written.",
                            "neither copied into memory nor moved between tiers",
                            "No DataNode told of writes over the channel from 127.0.0.1",
                            "NOT IN MEMORY: it is being written");
            assertThat(run("explain", "/data/open", "--blocks", "2", "--json")).isZero();
            JsonNode json = JSON.readTree(out);
            assertThat(json.at("/writing/client").asText())
                    .isEqualTo(fs.getClient().getClientName());
            assertThat(json.at("/writing/completeBlocks").asInt()).isEqualTo(3);
            assertThat(json.at("/writing/openBlocks").asInt()).isEqualTo(1);
            assertThat(json.at("/blocks/0/state").asText()).isEqualTo("complete");
            assertThat(json.at("/blocks/1/state").asText()).isEqualTo("under_construction");
            assertThat(json.at("/blocks/1/replicas")).hasSize(1);
            assertThat(runAs("stranger", "explain", "/data/open", "--json")).isZero();
            JsonNode ofStranger = JSON.readTree(out).get("writing");
            assertThat(ofStranger.get("openBlocks").asInt()).isEqualTo(1);
            assertThat(ofStranger.toString())
                    .doesNotContain(fs.getClient().getClientName(), "127.0.0.1", "\"client\"", "\"host\"");
        }
        assertThat(run("explain", "/data/open")).isZero();
        assertThat(out).doesNotContain("OPEN FOR WRITE");
        assertThat(run("explain", "/data/open", "--json")).isZero();
        assertThat(JSON.readTree(out).has("writing")).isFalse();
        fs.delete(open, false);
    }

    /** On one line, as it was not wrapped. */
    private String out() {
        return out.replaceAll("\\s+", " ");
    }

    @Test
    void explain_withoutReadPermission_isAsIfTheFileDidNotExist() throws Exception {
        assertThat(runAs("stranger", "explain", "/data/hot file")).isEqualTo(1);
        String unreadable = err;
        assertThat(runAs("stranger", "explain", "/data/no file")).isEqualTo(1);
        assertThat(err).contains("/data/no file").isEqualTo(unreadable.replace("hot file", "no file"));
    }

    @Test
    void explain_blockOfAnUnreadableFile_isAsIfItNeverExisted() throws Exception {
        long existing = hot.getBlockId();
        long madeUp = existing + 1_000_000;
        assertThat(runAs("stranger", "explain", "blk_" + madeUp)).isEqualTo(1);
        String ofMadeUp = err.replace(Long.toString(madeUp), "N");
        assertThat(ofMadeUp).contains("there is no block N that you may know of");
        assertThat(runAs("stranger", "explain", "blk_" + existing)).isEqualTo(1);
        assertThat(err.replace(Long.toString(existing), "N")).isEqualTo(ofMadeUp);
        assertThat(out).isEmpty();
    }
}
