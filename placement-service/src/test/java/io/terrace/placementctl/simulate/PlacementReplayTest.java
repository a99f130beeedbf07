package io.terrace.placementctl.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.cluster.ClusterReplay.Outcome;
import io.terrace.policy.replay.Trace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Simulations of the placement over DataNodes whose outcome is known by hand. */
class PlacementReplayTest {

    private static final long BLOCK = 1 << 20;

    /** DataNodes 11 and 12 on hosts 1 and 2, with room for one block each. */
    private static final String NODES = "#node,11,1," + BLOCK + "\n#node,12,2," + BLOCK + "\n";

    private static final PolicySpec LRU = PolicySpec.plain("lru", Map.of());

    @TempDir
    Path dir;

    private int files;

    private Path file(String text) throws IOException {
        Path file = dir.resolve("%06d.csv.gz".formatted(files++));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(("time_s,object_id,bytes,op,obj_size,job\n" + text).getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private static String row(int second, int block) {
        return second + ".000," + block + "," + BLOCK + ",R," + BLOCK + ",\n";
    }

    private static PlacementReplay replay(AccessLogTrace log, PolicySpec policy, RuleAssignments rules, double reach)
            throws Refused {
        return PlacementReplay.of(policy, rules, log.trace(), log.numbers(), log.places(), 0, 0, reach, 0);
    }

    private PlacementReplay replay(String text, double reach) throws Exception {
        AccessLogTrace log = AccessLogTrace.of(List.of(file(text)), 0);
        return replay(log, LRU, RuleAssignments.none(log.trace().objects()), reach);
    }

    /** Block 101 is read on host 1, which holds it; block 102 on host 3, where there is no DataNode. */
    private static String twoBlocks() {
        StringBuilder text = new StringBuilder(NODES).append("#held,101,11,12\n#held,102,11,12\n");
        for (int i = 0; i < 10; i++) {
            text.append("#by,1,11\n").append(row(10 * i, 101));
            text.append("#by,3,12\n").append(row(10 * i + 5, 102));
        }
        return text.toString();
    }

    @Test
    void hits_areLocalWhereTheReaderIs() throws Exception {
        PlacementReplay replay = replay(twoBlocks(), 1);
        Outcome cluster = replay.cluster();
        assertThat(cluster.reads()).isEqualTo(20);
        assertThat(cluster.hits()).as("all but the first read of each").isEqualTo(18);
        assertThat(cluster.local()).as("those of block 101").isEqualTo(9);
        assertThat(cluster.promotions()).isEqualTo(2);
        assertThat(cluster.promotedBytes()).isEqualTo(2.0 * BLOCK, within(0.1));
        assertThat(cluster.hitBytes()).isEqualTo(18.0 * BLOCK, within(0.1));
        assertThat(cluster.homesChanged()).isZero();
        assertThat(replay.pooled().hits()).isEqualTo(18);
        assertThat(replay.dataNodes()).isEqualTo(2);
        assertThat(replay.readsPlaced()).isEqualTo(20);
        assertThat(replay.blocksPlaced()).isEqualTo(2);
    }

    @Test
    void stockReaders_findACopyOnlyWhereStockReads() throws Exception {
        StringBuilder text = new StringBuilder(NODES).append("#held,101,11,12\n");
        for (int i = 0; i < 20; i++) {
            // Half of the readers is where there is no DataNode; stock sent them to the other one than it sends host 1.
            text.append(i % 2 == 0 ? "#by,1,11\n" : "#by,3,12\n").append(row(10 * i, 101));
        }
        PlacementReplay found = replay(text.toString(), 1);
        assertThat(found.cluster().hits()).isEqualTo(19);
        PlacementReplay stock = replay(text.toString(), 0);
        assertThat(stock.cluster().hits()).as("those of one of two DataNodes").isEqualTo(9);
        assertThat(stock.pooled().hits()).isEqualTo(19);
    }

    @Test
    void copy_readersMove_followsThem() throws Exception {
        StringBuilder text = new StringBuilder(NODES).append("#held,101,11,12\n");
        for (int i = 0; i < 60; i++) {
            text.append(i < 10 ? "#by,1,11\n" : "#by,2,12\n").append(row(10 * i, 101));
        }
        Outcome stock = replay(text.toString(), 0).cluster();
        assertThat(stock.homesChanged()).isEqualTo(1);
        assertThat(stock.promotions()).isEqualTo(2);
        assertThat(stock.local()).isEqualTo(stock.hits()).isGreaterThan(40);
    }

    @Test
    void memory_isThatOfEachDataNode() throws Exception {
        // Two blocks in turns on host 1; it has no memory, so copies are on host 2, which has room for two.
        StringBuilder text = new StringBuilder("#node,11,1,0\n#node,12,2," + 2 * BLOCK + "\n");
        for (int block = 101; block <= 102; block++) {
            text.append("#held," + block + ",11,12\n");
        }
        for (int i = 0; i < 20; i++) {
            text.append("#by,1,11\n").append(row(10 * i, 101 + i % 2));
        }
        Outcome cluster = replay(text.toString(), 1).cluster();
        assertThat(cluster.hits()).isGreaterThanOrEqualTo(16);
        assertThat(cluster.local()).isZero();
        AccessLogTrace log = AccessLogTrace.of(List.of(file(text.toString())), 0);
        Outcome none = PlacementReplay.of(
                        LRU, RuleAssignments.none(2), log.trace(), log.numbers(), log.places(), BLOCK / 2, 0, 1, 0)
                .cluster();
        assertThat(none.hits()).as("no block fits half a block").isZero();
    }

    @Test
    void rules_holdForTheBlocksThatTheyHeldForByPath() throws Exception {
        PolicySpec never = PolicyFile.read("p", "policy: lru\nrules: [{path: /tmp/**, place: never}]\n");
        AccessLogTrace log = AccessLogTrace.of(List.of(file(twoBlocks())), 0);
        int tmp = log.numbers().getOrDefault("101", -1);
        int[] rules = new int[2];
        rules[tmp] = 1;
        Outcome cluster = replay(log, never, new RuleAssignments(rules, new long[rules.length]), 1)
                .cluster();
        assertThat(cluster.hits()).isEqualTo(9);
        assertThat(cluster.local()).as("block 101 is never in memory").isZero();
    }

    @Test
    void holders_notInTheLog_areThoseThatServed() throws Exception {
        StringBuilder text = new StringBuilder(NODES);
        for (int i = 0; i < 10; i++) {
            text.append("#by,2,12\n").append(row(10 * i, 101));
        }
        PlacementReplay replay = replay(text.toString(), 1);
        assertThat(replay.blocksPlaced()).isZero();
        assertThat(replay.cluster().local()).isEqualTo(9);
    }

    @Test
    void log_ofAnEarlierRelease_isATraceWithoutHosts() throws Exception {
        AccessLogTrace log = AccessLogTrace.of(List.of(file(row(1, 101) + row(2, 101))), 0);
        assertThat(log.trace().rows()).isEqualTo(2);
        assertThatThrownBy(() -> replay(log, LRU, RuleAssignments.none(1), 1))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("has no hosts")
                .hasMessageContaining("terrace.placement.access-log.readers");
        AccessLogTrace withoutMemory = AccessLogTrace.of(List.of(file("#node,11,1,0\n#by,1,11\n" + row(1, 101))), 0);
        assertThatThrownBy(() -> replay(withoutMemory, LRU, RuleAssignments.none(1), 1))
                .hasMessageContaining("has memory");
    }

    @Test
    void log_oldAndNewFiles_areOneTrace() throws Exception {
        AccessLogTrace log = AccessLogTrace.of(List.of(file(row(1, 101) + row(2, 102)), file(twoBlocks())), 0);
        assertThat(log.trace().rows()).isEqualTo(22);
        PlacementReplay replay = replay(log, LRU, RuleAssignments.none(2), 1);
        assertThat(replay.readsPlaced()).isEqualTo(20);
        assertThat(replay.cluster().reads()).isEqualTo(22);
    }

    @Test
    void log_isCutToTheTimeWithItsHosts() throws Exception {
        AccessLogTrace log = AccessLogTrace.of(List.of(file(twoBlocks())), 50_000);
        assertThat(log.trace().rows()).isEqualTo(10);
        assertThat(log.places().readsPlaced()).isEqualTo(10);
        assertThat(log.places().hostOf(log.places().servedBy(0)))
                .isEqualTo(log.places().host(0));
    }

    @Test
    void comments_damaged_arePassedOver() throws Exception {
        String bad = "#\n#node\n#node,x,1,5\n#node,-1,1,5\n#by\n#by,1\n#by,1,2,3\n#held,101\n#held,x,11\n#held,101,\n"
                + "#host,1,a,b\n#host,1,dn1\n#nothing,1,2\n#by,99999999999999999999,1\n";
        PlacementReplay clean = replay(twoBlocks(), 1);
        assertThat(replay(bad + twoBlocks(), 1).cluster().hits())
                .isEqualTo(clean.cluster().hits());
    }

    @Test
    void comments_ofRandomBytes_neverFail() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String[] parts = {"#node", "#by", "#held", ",", "1", "12", "-3", "101", "\n", "x", "9223372036854775807", "0"};
        for (int round = 0; round < 200; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 60; i++) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            AccessLogTrace log = AccessLogTrace.of(List.of(file(text + "\n" + twoBlocks())), 0);
            Trace trace = log.trace();
            assertThat(replay(log, LRU, RuleAssignments.none(trace.objects()), 1)
                            .cluster()
                            .reads())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(20);
        }
    }
}
