package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placementctl.terminal.StandardOutput;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command's real output, against a NameNode with the plugin. */
@Tag("cluster")
class PlacementCtlTest {

    private static final long BLOCK = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    private static String service;
    private static CtlSession session;
    private static java.nio.file.Path conf;
    private static StandInDataNode dataNode;
    private static ExtendedBlock hot;
    private static LoggedLines audit;

    private String out = "";
    private String err = "";

    @BeforeAll
    static void startCluster() throws Exception {
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        configuration.set("terrace.placement.admin.acl", "operator");
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile())
                .numDataNodes(2)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        Configuration bound = cluster.getNameNode().getConf();
        service = CtlSession.service(bound);
        session = CtlSession.of(dir.resolve("conf"), fs.getUri(), service);
        conf = session.conf;
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                bound,
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                8 * BLOCK);
        await().atMost(Duration.ofSeconds(10)).until(dataNode::beat, HeartbeatResponseProto::getActive);
        DFSTestUtil.createFile(fs, new Path("/data/hot file"), BLOCK, (short) 2, 7);
        hot = DFSTestUtil.getFirstBlock(fs, new Path("/data/hot file"));
        fs.setPermission(new Path("/data/hot file"), new FsPermission((short) 0600));
        dataNode.reads(hot, 5);
        dataNode.beat();
        dataNode.beat();
        audit = new LoggedLines("io.terrace.audit");
    }

    @AfterAll
    static void stopCluster() {
        audit.close();
        dataNode.close();
        cluster.shutdown(true);
    }

    @BeforeEach
    void clearAudit() {
        audit.lines().clear();
    }

    private int run(String... arguments) {
        int code = session.run(arguments);
        out = session.out;
        err = session.err;
        return code;
    }

    private int runAs(String user, String... arguments) throws Exception {
        int code = session.runAs(user, arguments);
        out = session.out;
        err = session.err;
        return code;
    }

    @Test
    void status_active_showsEpochAndExitsZero() throws Exception {
        assertThat(run("status")).isZero();
        assertThat(out)
                .contains("active in NameNode")
                .contains("policy adaptive")
                .contains("promoted (");
        assertThat(run("status", "--json")).isZero();
        JsonNode json = JSON.readTree(out);
        assertThat(json.get("active").asBoolean()).isTrue();
        JsonNode figures = json.get("services").get(0).get("figures");
        assertThat(figures.get("placement.promotions.done").asLong()).isPositive();
        assertThat(figures.get("placement.lock.holds").asLong()).isPositive();
    }

    @Test
    void options_beforeTheVerb_areThoseAfterIt() throws Exception {
        assertThat(run("--json", "status")).isZero();
        assertThat(JSON.readTree(out).get("active").asBoolean()).isTrue();
        assertThat(run("--json", "policy", "list")).isZero();
        assertThat(JSON.readTree(out).has("policies")).isTrue();
        assertThat(run("policy", "--json", "list")).isZero();
        assertThat(JSON.readTree(out).has("policies")).isTrue();
        assertThat(run("--service", "127.0.0.1:1", "top")).isEqualTo(3);
        assertThat(run("--json", "top", "-n", "0")).isEqualTo(2);
        assertThat(err).contains("--count is 0", "placementctl top");
    }

    @Test
    void top_watched_isShownAsOftenAsAskedFor() {
        assertThat(run("--json", "top", "--watch=1", "--times", "2", "--by", "bytes", "--path", "/"))
                .isZero();
        assertThat(out.lines()).hasSize(2);
        assertThat(run("moves", "--watch=1", "--times=2")).isZero();
        assertThat(out.lines().filter(line -> line.contains("in flight"))).hasSize(2);
        assertThat(run("top", "--times", "2")).isEqualTo(2);
        assertThat(err).contains("--times needs --watch");
        assertThat(run("top", "--watch=0")).isEqualTo(2);
        assertThat(err).contains("--watch is 0; it must be from 1 to 86400");
        assertThat(run("top", "--path", "a")).isEqualTo(2);
        assertThat(err).contains("'a' is no absolute path");
    }

    @Test
    void stats_printsALinePerInterval_asTextAndJson() throws Exception {
        assertThat(run("stats")).isZero();
        assertThat(out).contains("read, MB/s", "lock");
        assertThat(out.lines()).hasSize(3);
        assertThat(run("stats", "--json", "1", "2")).isZero();
        assertThat(out.lines()).hasSize(2);
        JsonNode line = JSON.readTree(out.lines().findFirst().orElseThrow());
        assertThat(line.get("seconds").asDouble()).isGreaterThan(0.9);
        assertThat(line.get("memoryUsedBytes").asLong()).isPositive();
        assertThat(line.has("lockShare")).isTrue();
        assertThat(run("stats", "0")).isEqualTo(2);
        assertThat(run("stats", "1", "-1")).isEqualTo(2);
        assertThat(run("stats", "--service", "127.0.0.1:1")).isEqualTo(3);
    }

    @Test
    void stats_intoAClosedPipe_endsQuietly() throws Exception {
        StringWriter errors = new StringWriter();
        OutputStream pipe = new OutputStream() {
            @Override
            public void write(int letter) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        try (PrintWriter closing = new StandardOutput(pipe, StandardCharsets.UTF_8)) {
            int code = PlacementCtl.run(closing, new PrintWriter(errors), "stats", "1", "--conf", conf.toString());
            assertThat(code).isZero();
        }
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void check_onAHostWithoutTerracesClient_saysWhatToSet() throws Exception {
        assertThat(run("check", "/data/hot file")).isEqualTo(1);
        assertThat(out)
                .contains("blk_" + hot.getBlockId(), "stock HDFS, ", "0 of 1 block was read from memory")
                .contains("does not name Terrace's client", "add io.terrace.client.TerraceAccessorBuilder to");
        assertThat(run("check", "/data/absent")).isEqualTo(1);
        assertThat(err).contains("/data/absent");
        assertThat(run("check", "relative")).isEqualTo(2);
    }

    @Test
    void check_whereNoDataNodeAnswers_saysSo() throws Exception {
        java.nio.file.Path host = Files.createDirectories(dir.resolve("client"));
        Files.writeString(
                host.resolve("core-site.xml"),
                CtlSession.site("fs.defaultFS", fs.getUri().toString())
                        .replace(
                                "</configuration>",
                                "<property><name>fs.hdfs.impl</name><value>" + TerraceFileSystem.class.getName()
                                        + "</value></property></configuration>"));
        String service = CtlSession.site("terrace.placement.rpc-address", PlacementCtlTest.service);
        Files.writeString(host.resolve("hdfs-site.xml"), service);
        assertThat(run("check", "/data/hot file", "--conf", host.toString())).isEqualTo(1);
        assertThat(out).contains("terrace.channel.dir is not set on this host");
        java.nio.file.Path channel = Files.createDirectories(dir.resolve("channel"));
        Files.writeString(
                host.resolve("hdfs-site.xml"),
                service.replace(
                        "</configuration>",
                        "<property><name>terrace.channel.dir</name><value>" + channel
                                + "</value></property></configuration>"));
        assertThat(run("check", "/data/hot file", "--conf", host.toString(), "--json"))
                .isEqualTo(1);
        JsonNode block = JSON.readTree(out).get("blocks").get(0);
        assertThat(block.get("servedBy").asText()).isEqualTo("stock");
        assertThat(block.get("cause").asText()).contains("no DataNode of this host answers");
    }

    @Test
    void tiers_showsMemoryAndDataNodeWithoutPlugin() throws Exception {
        assertThat(run("tiers")).isZero();
        assertThat(out).contains("memory").contains("8.0 MB").contains("no plugin");
        assertThat(run("tiers", "--json")).isZero();
        assertThat(JSON.readTree(out).get("withoutPlugin")).hasSize(1);
    }

    @Test
    void top_pathIsShownToThoseWhoMayRead() throws Exception {
        assertThat(run("top")).isZero();
        assertThat(out).contains("/data/hot file").contains("memory");
        assertThat(runAs("stranger", "top")).isZero();
        assertThat(out)
                .contains("memory", "(not shown)", "not shown: ")
                .doesNotContain("blk_" + hot.getBlockId(), "/data/hot file");
    }

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

    @Test
    void doctor_conditionsOfDataNodes_areFindings() throws Exception {
        dataNode.condition("memlock", ConditionProto.Severity.WARNING, "the memlock limit is 64 KB");
        dataNode.beat();
        assertThat(run("doctor")).isEqualTo(1);
        assertThat(out)
                .contains("memlock")
                .contains("the memlock limit is 64 KB")
                .contains("never reported");
        assertThat(run("doctor", "--json")).isEqualTo(1);
        assertThat(JSON.readTree(out).get("errors").asInt()).isPositive();
    }

    @Test
    void doctor_misspeltKey_namesTheNearest() throws Exception {
        java.nio.file.Path wrong = Files.createDirectories(dir.resolve("wrong"));
        Files.writeString(
                wrong.resolve("core-site.xml"),
                CtlSession.site("fs.defaultFS", fs.getUri().toString()));
        Files.writeString(
                wrong.resolve("hdfs-site.xml"),
                "<configuration><property><name>terrace.placement.rpc-address</name><value>" + service
                        + "</value></property><property><name>terrace.placement.move.bandwith</name><value>1</value>"
                        + "</property><property><name>terrace.placement.interval</name><value>-5s</value></property>"
                        + "</configuration>");
        assertThat(run("doctor", "--conf", wrong.toString())).isEqualTo(1);
        assertThat(out)
                .contains("did you mean terrace.placement.move.bandwidth?")
                .contains("terrace.placement.interval is -5s");
    }

    @Test
    void unreachable_exitsThree() {
        assertThat(run("status", "--service", "127.0.0.1:1")).isEqualTo(3);
        assertThat(out).contains("unreachable");
        assertThat(run("top", "--service", "127.0.0.1:1")).isEqualTo(3);
        assertThat(err).contains("no placement service is active");
        assertThat(run("doctor", "--service", "127.0.0.1:1")).isEqualTo(3);
    }

    @Test
    void usage_isWrong_exitsTwo() {
        assertThat(run("explain")).isEqualTo(2);
        assertThat(run("top", "-n", "0")).isEqualTo(2);
        assertThat(run("nonsense")).isEqualTo(2);
        assertThat(run("status", "--conf", dir.resolve("absent").toString())).isEqualTo(2);
        assertThat(err).contains("holds no core-site.xml");
    }

    @Test
    void help_listsCommandsAndExitCodes() {
        StringWriter text = new StringWriter();
        assertThat(PlacementCtl.run(new PrintWriter(text), new PrintWriter(text), "--help"))
                .isZero();
        assertThat(text.toString()).contains("explain", "doctor", "Exit codes:", "no placement service can be reached");
        for (String command : List.of(
                "status", "tiers", "top", "explain", "promote", "demote", "pin", "unpin", "release", "pause", "resume",
                "off", "on", "doctor")) {
            assertThat(PlacementCtl.run(new PrintWriter(text), new PrintWriter(text), command, "--help"))
                    .isZero();
        }
        assertThat(text.toString()).contains("--json", "--conf");
    }
}
