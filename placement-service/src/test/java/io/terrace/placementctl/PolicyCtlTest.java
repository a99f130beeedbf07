package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import javax.imageio.ImageIO;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code placementctl policy} against a NameNode with the plugin, a policy file and a log of accesses. */
class PolicyCtlTest {

    private static final long BLOCK = 1 << 20;
    private static final int FILES = 12;
    private static final String CONFIGURED = "policy: idecider\nparameters: {threshold: 1000}\n";

    @TempDir
    static Path dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    private static Path policyFile;
    private static final List<ExtendedBlock> BLOCKS = new ArrayList<>();
    private CtlSession ctl;
    private StandInDataNode dataNode;

    @BeforeAll
    static void startCluster() throws Exception {
        policyFile = Files.writeString(dir.resolve("placement.yaml"), CONFIGURED);
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.admin.acl", "operator");
        conf.set("terrace.placement.policy.file", policyFile.toString());
        conf.set("terrace.placement.policy.file.interval", "100ms");
        conf.set("terrace.placement.access-log.dir", dir.resolve("accesses").toString());
        conf.setLong("dfs.blocksize", BLOCK);
        conf.setLong("dfs.namenode.fs-limits.min-block-size", 1024);
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile())
                .numDataNodes(1)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        for (int i = 0; i < FILES; i++) {
            org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path((i % 3 == 0 ? "/tmp/f" : "/data/f") + i);
            DFSTestUtil.createFile(fs, path, BLOCK, (short) 1, 7);
            BLOCKS.add(DFSTestUtil.getFirstBlock(fs, path));
        }
    }

    @AfterAll
    static void stopCluster() {
        cluster.shutdown(true);
    }

    @BeforeEach
    void connect() throws IOException {
        String service = CtlSession.service(cluster.getNameNode().getConf());
        ctl = CtlSession.of(dir.resolve("conf"), fs.getUri(), service);
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                4 * BLOCK);
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(dataNode::beat, HeartbeatResponseProto::getActive);
        // A connection from before a restart breaks once.
        await().atMost(Duration.ofSeconds(20)).until(() -> ctl.run("status") == 0);
    }

    @AfterEach
    void disconnect() throws IOException {
        dataNode.close();
        Files.writeString(policyFile, CONFIGURED);
        ctl.run("policy", "apply", "--dry-run", "--stop");
        ctl.run("policy", "apply", "--configured");
    }

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("candidate.yaml"), text);
    }

    private JsonNode shown() throws IOException {
        assertThat(ctl.run("policy", "show", "--json")).as(ctl.err).isZero();
        return ctl.json();
    }

    /** The same reads for the same seed; the last beats let moves end. */
    private void read(long seed, int beats) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < beats; i++) {
            dataNode.reads(BLOCKS.get((int) Math.min(FILES - 1, -Math.log(random.nextDouble()) * 4)), 1);
            dataNode.beat();
        }
        dataNode.beat();
        dataNode.beat();
    }

    @Test
    void list_namesEveryPolicyWithItsParameters() throws Exception {
        assertThat(ctl.run("policy", "list")).isZero();
        assertThat(ctl.out).contains("adaptive").contains("decay-admit").contains("half-life: 1h");
        assertThat(ctl.run("policy", "list", "--json")).isZero();
        assertThat(ctl.json().get("policies").size()).isGreaterThan(10);
    }

    @Test
    void check_file_namesMistakesWithTheirLines() throws Exception {
        assertThat(ctl.run("policy", "check", policyFile.toString())).isZero();
        assertThat(ctl.out).contains("right");
        Path bad = file("policy: lru\nrulse: []\n");
        assertThat(ctl.run("policy", "check", bad.toString())).isEqualTo(1);
        assertThat(ctl.out.replaceAll("\\s+", " "))
                .contains("candidate.yaml:2:")
                .contains("did you mean 'rules'");
        assertThat(ctl.run("policy", "check", bad.toString(), "--json")).isEqualTo(1);
        assertThat(ctl.json().get("complaints")).hasSize(1);
        assertThat(ctl.run("policy", "check", dir.resolve("nothing").toString()))
                .isEqualTo(1);
        assertThat(ctl.run("policy", "check")).isEqualTo(2);
        assertThat(ctl.run("policy")).isEqualTo(2);
        for (String verb : List.of("list", "show", "check", "simulate", "apply", "history", "rollback")) {
            assertThat(ctl.run("policy", verb, "--help")).isZero();
            assertThat(ctl.out).contains("Usage: placementctl policy " + verb).contains("--json");
        }
    }

    @Test
    void file_changed_isInForceWithinItsIntervalAndABadOneIsNot() throws Exception {
        assertThat(shown().get("source").asText()).isEqualTo("file");
        dataNode.reads(BLOCKS.get(1), 3);
        dataNode.beat();
        Files.writeString(policyFile, "policy: lru\n");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> shown().get("policy").asText().equals("lru"));
        dataNode.reads(BLOCKS.get(1), 1);
        dataNode.beat();
        dataNode.beat();
        assertThat(dataNode.memory).containsKey(BLOCKS.get(1).getBlockId());

        Files.writeString(policyFile, "policy: lru\nparameters: {writes: perhaps}\n");
        await().atMost(Duration.ofSeconds(20)).until(() -> shown().has("fileTrouble"));
        assertThat(shown().get("policy").asText()).isEqualTo("lru");
        assertThat(shown().get("fileTrouble").asText())
                .contains("placement.yaml:2:")
                .contains("writes");
        assertThat(ctl.run("doctor")).isEqualTo(1);
        assertThat(ctl.out).contains("policy.file");
        assertThat(ctl.run("status", "--json")).isZero();
        assertThat(ctl.json()
                        .at("/services/0/figures")
                        .get("placement.policy.file.bad")
                        .asLong())
                .isEqualTo(1);

        Files.writeString(policyFile, CONFIGURED);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> shown().get("policy").asText().equals("idecider"));
        assertThat(shown().has("fileTrouble")).isFalse();
        dataNode.beat();
        assertThat(dataNode.memory)
                .as("no switch drops a copy")
                .containsKey(BLOCKS.get(1).getBlockId());
        Files.delete(policyFile);
        await().atMost(Duration.ofSeconds(20)).until(() -> shown().has("fileTrouble"));
        assertThat(shown().get("policy").asText()).isEqualTo("idecider");
    }

    @Test
    void apply_rollbackAndHistory_surviveARestart() throws Exception {
        assertThat(ctl.run("policy", "history")).isZero();
        long before = shown().get("steps").size();
        assertThat(ctl.run("policy", "apply", file("policy: lru\n").toString()))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out).contains("is in force");
        long lru = shown().get("number").asLong();
        assertThat(ctl.run(
                        "policy",
                        "apply",
                        file("policy: 2q\nrules: [{path: /tmp/**, place: never}]\n")
                                .toString()))
                .isZero();
        assertThat(shown().get("policy").asText()).isEqualTo("2q");
        assertThat(shown().get("source").asText()).isEqualTo("applied");
        assertThat(shown().get("steps")).hasSize((int) before + 2);

        cluster.restartNameNode(0);
        cluster.waitActive();
        dataNode.close();
        connect();
        assertThat(shown().get("policy").asText()).isEqualTo("2q");
        assertThat(shown().get("number").asLong()).isEqualTo(lru + 1);
        assertThat(ctl.run("policy", "show", "--text")).isZero();
        assertThat(ctl.out).contains("/tmp/**");

        assertThat(ctl.run("policy", "rollback")).isZero();
        assertThat(shown().get("policy").asText()).isEqualTo("lru");
        assertThat(shown().get("number").asLong()).isEqualTo(lru);
        assertThat(ctl.run("policy", "history")).isZero();
        assertThat(ctl.out).contains("2q").contains("lru").containsPattern("lru +\\S+ +yes");
        assertThat(ctl.run("policy", "history", "--text", Long.toString(lru + 1)))
                .isZero();
        assertThat(ctl.out).contains("policy: 2q");
        assertThat(ctl.run("policy", "apply", "--configured")).isZero();
        assertThat(shown().get("source").asText()).isEqualTo("file");
        assertThat(ctl.run("policy", "rollback")).isZero();
        assertThat(shown().get("policy").asText()).isEqualTo("lru");
    }

    @Test
    void apply_badFileOrStranger_changesNothing() throws Exception {
        Path bad = file("policy: lru\nparameters: {x: 1}\n");
        assertThat(ctl.run("policy", "apply", bad.toString())).isEqualTo(1);
        assertThat(ctl.err).contains("candidate.yaml:2:");
        Path good = file("policy: lru\n");
        assertThat(ctl.runAs("stranger", "policy", "apply", good.toString())).isEqualTo(1);
        assertThat(ctl.err).contains("may not change placement");
        assertThat(ctl.runAs("stranger", "policy", "rollback")).isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "apply", good.toString(), "--dry-run"))
                .isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "simulate", "--policy", good.toString()))
                .isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "show", "--json")).isZero();
        assertThat(ctl.json().has("text")).isFalse();
        assertThat(ctl.json().get("policy").asText()).isEqualTo("idecider");
        assertThat(ctl.run("policy", "apply")).isEqualTo(2);
        assertThat(ctl.run("policy", "apply", good.toString(), "--configured")).isEqualTo(2);
        assertThat(ctl.run("policy", "apply", good.toString(), "--dry-run", "--for", "soon"))
                .isEqualTo(2);
    }

    /**
     * The same reads twice: of a candidate that is rehearsed, and, after a restart, of the same one applied. Policies that
     * look at the time between reads are compared where the clock is the test's, in PolicyChangeTest.
     */
    @Test
    void applyDryRun_sameAccesses_decidesTheSameAndMovesNothing() throws Exception {
        for (String policy : List.of("lru", "decay-admit")) {
            String candidate = file("policy: " + policy + "\nrules: [{path: /tmp/**, place: never}]\n")
                    .toString();
            restart();
            assertThat(ctl.run("policy", "apply", candidate, "--dry-run", "--for", "1h"))
                    .as(ctl.err)
                    .isZero();
            assertThat(ctl.out).contains("rehearsed").contains("moves nothing");
            read(42, 60);
            JsonNode rehearsal = shown().get("rehearsal");
            assertThat(dataNode.orders).as("nothing is ordered").isEmpty();
            assertThat(dataNode.memory).isEmpty();
            assertThat(moved()).as("bytes moved").isZero();
            List<String> rehearsed = new ArrayList<>();
            rehearsal
                    .get("decisions")
                    .forEach(one -> rehearsed.add(
                            one.get("kind").asText() + " " + one.get("blockId").asLong()));
            Collections.reverse(rehearsed);
            assertThat(ctl.run("policy", "show")).isZero();
            assertThat(ctl.out).contains("Rehearsal").contains("would have moved");
            assertThat(ctl.run("policy", "apply", "--dry-run", "--stop")).isZero();
            assertThat(ctl.out).contains("ended");

            restart();
            assertThat(ctl.run("policy", "apply", candidate)).isZero();
            read(42, 60);
            List<String> real = new ArrayList<>();
            for (OrderProto order : dataNode.orders) {
                real.add(order.getKind().name().toLowerCase(Locale.ROOT) + " "
                        + order.getBlock().getBlockId());
            }
            assertThat(real).as(policy).isNotEmpty().isEqualTo(rehearsed);
            assertThat(moved()).isPositive();
            assertThat(rehearsal.get("promotions").asLong())
                    .isEqualTo(real.stream()
                            .filter(text -> text.startsWith("promote"))
                            .count());
            assertThat(ctl.run("policy", "apply", "--configured")).isZero();
        }
    }

    private void restart() throws Exception {
        dataNode.close();
        cluster.restartNameNode(0);
        cluster.waitActive();
        connect();
    }

    private long moved() throws IOException {
        assertThat(ctl.run("status", "--json")).isZero();
        return ctl.json()
                .at("/services/0/figures")
                .get("placement.promoted.bytes")
                .asLong();
    }

    @Test
    void simulate_logOfAccesses_comparesCandidateWithCurrent() throws Exception {
        read(7, 100);
        Path png = dir.resolve("plot.png");
        String candidate = file("policy: lru\n").toString();
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--plot", png.toString()))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out)
                .contains("CANDIDATE")
                .contains("CURRENT")
                .contains("bytes moved")
                .contains("peak memory use")
                .contains("read time, mean");
        assertThat(ImageIO.read(png.toFile()).getWidth()).isEqualTo(1000);
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--last", "1h", "--json"))
                .isZero();
        JsonNode json = ctl.json();
        JsonNode lru = json.get("policies").get(0);
        JsonNode current = json.get("policies").get(1);
        assertThat(lru.get("policy").asText()).isEqualTo("lru");
        assertThat(lru.get("reads").asLong())
                .isGreaterThanOrEqualTo(100)
                .isEqualTo(json.get("accesses").asLong());
        assertThat(lru.get("bytesFromMemory").asLong()).isPositive();
        assertThat(lru.get("peakMemoryBytes").asLong()).isPositive().isLessThanOrEqualTo(4 * BLOCK);
        assertThat(current.get("policy").asText()).isEqualTo("idecider");
        assertThat(current.get("bytesMoved").asLong())
                .as("its threshold is out of reach")
                .isZero();
        assertThat(lru.get("meanReadMs").asDouble())
                .isLessThan(current.get("meanReadMs").asDouble());
        assertThat(dataNode.orders).as("a simulation moves nothing").isEmpty();
    }

    /** Files 0, 3, 6 and 9 are below /tmp, each of one block; memory holds four blocks. */
    @Test
    void simulate_rulesAndPools_holdAsTheyDoInTheService() throws Exception {
        String never =
                file("policy: lru\nrules: [{path: /tmp/**, place: never}]\n").toString();
        String pooled = Files.writeString(
                        dir.resolve("pooled.yaml"),
                        "policy: lru\npools: [{name: scratch, share: 25%}]\nrules: [{path: /tmp/**, pool: scratch}]\n")
                .toString();
        restart();
        assertThat(ctl.run("policy", "apply", pooled)).as(ctl.err).isZero();
        long fromMs = System.currentTimeMillis();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < FILES; i++) {
                dataNode.reads(BLOCKS.get(i), 1);
                dataNode.beat();
                dataNode.beat();
            }
        }
        long scratch = BLOCKS.stream()
                .filter(block -> BLOCKS.indexOf(block) % 3 == 0 && dataNode.memory.containsKey(block.getBlockId()))
                .count();
        assertThat(scratch).as("of four blocks a quarter is for /tmp").isEqualTo(1);
        assertThat(dataNode.memory).hasSize(4);
        assertThat(ctl.run("tiers", "--json")).isZero();
        JsonNode pool = ctl.json().at("/nodes/0/pools/1");
        assertThat(pool.get("name").asText()).isEqualTo("scratch");
        assertThat(pool.get("ownBytes").asLong()).isEqualTo(BLOCK);
        assertThat(pool.get("usedBytes").asLong()).isEqualTo(BLOCK);
        assertThat(ctl.run("tiers")).isZero();
        assertThat(ctl.out).containsPattern("pool +scratch +1.0 MB +1.0 MB");
        assertThat(ctl.run("policy", "show")).isZero();
        assertThat(ctl.out).contains("Pools       default 75 %, at most 100 %, lru; scratch 25 %, lru");
        assertThat(ctl.run("explain", "/tmp/f9")).isZero();
        assertThat(ctl.out).contains("pool scratch, 1 of 1 MB used");

        String last = (System.currentTimeMillis() - fromMs) / 1000 + 1 + "s";
        assertThat(ctl.run("policy", "simulate", "--policy", never, "--last", last, "--json"))
                .as(ctl.err)
                .isZero();
        JsonNode simulated = ctl.json().at("/policies/0");
        JsonNode current = ctl.json().at("/policies/1");
        assertThat(simulated.get("objectsMatched").asLong()).isEqualTo(4);
        assertThat(simulated.get("objectsWithoutPath").asLong()).isZero();
        assertThat(current.at("/pools/1/name").asText()).isEqualTo("scratch");
        assertThat(current.at("/pools/1/reads").asLong()).isBetween(12L, 16L);
        assertThat(ctl.run("policy", "simulate", "--policy", never, "--last", last))
                .isZero();
        assertThat(ctl.out)
                .contains("Rules by path of candidate hold for 4 of 12 objects.")
                .contains("pool scratch, reads")
                .doesNotContain("/tmp");
        assertThat(ctl.runAs("stranger", "policy", "simulate", "--policy", never))
                .isEqualTo(1);
    }

    @Test
    void simulate_traceOfAFile_needsNoService() throws Exception {
        StringBuilder csv = new StringBuilder("time_s,object_id,bytes,op,obj_size,job\n");
        for (int i = 0; i < 1000; i++) {
            csv.append(i).append(",o").append(i % 5).append(",100,R,100,\n");
        }
        Path trace = Files.writeString(dir.resolve("trace.csv"), csv);
        String candidate = file("policy: lru\nsmallest: 50\n").toString();
        String[] call = {
            "policy", "simulate", "--policy", candidate, "--trace", trace.toString(), "--memory", "1k", "--compare"
        };
        assertThat(ctl.run(with(call, "none", "--json", "--service", "127.0.0.1:1")))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.json().get("policies")).hasSize(1);
        assertThat(ctl.json().at("/policies/0/readsFromMemory").asLong()).isEqualTo(995);
        String other = Files.writeString(dir.resolve("other.yaml"), "policy: lru\nsmallest: 101\n")
                .toString();
        assertThat(ctl.run(with(call, other, "--json", "--service", "127.0.0.1:1")))
                .isZero();
        assertThat(ctl.json().at("/policies/1/readsFromMemory").asLong())
                .as("too small")
                .isZero();
        assertThat(ctl.run(with(call, "current", "--service", "127.0.0.1:1"))).isEqualTo(3);
        Files.writeString(trace, "time_s,object_id\n1,2\n");
        assertThat(ctl.run(with(call, "none"))).isEqualTo(1);
        assertThat(ctl.err).contains("trace");
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--memory", "much"))
                .isEqualTo(2);
    }

    private static String[] with(String[] call, String... more) {
        List<String> all = new ArrayList<>(List.of(call));
        Collections.addAll(all, more);
        return all.toArray(String[]::new);
    }
}
