package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.imageio.ImageIO;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code placementctl policy simulate} over the log of accesses of a NameNode, and over a trace. */
@Tag("cluster")
class PolicySimulateTest extends PolicyCommandsFixture {

    /** As for /var/log/hadoop, which others have to read. */
    @Test
    void log_leavesADirectoryThatWasThereAsItIs() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fixture.logDir)))
                .isEqualTo("rwxr-xr-x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fixture.logDir.resolve("accesses"))))
                .isEqualTo("rwx------");
    }

    @Test
    void simulate_logOfAccesses_comparesCandidateWithCurrent() throws Exception {
        // What another test wrote and did not read is not copied ahead any more.
        fixture.restart();
        fixture.read(7, 100);
        Path png = dir.resolve("plot.png");
        String candidate = fixture.file("policy: lru\n").toString();
        await().alias("reads that went on for longer than a simulated move takes")
                .atMost(Duration.ofSeconds(20))
                .until(() -> {
                    fixture.read(7, 10);
                    return ctl.run("policy", "simulate", "--policy", candidate, "--json") == 0
                            && ctl.json().at("/policies/0/bytesFromMemory").asLong() > 0;
                });
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
        // Other tests write files and read them at once.
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--last", "1h", "--in-vain", "0", "--json"))
                .as(ctl.err)
                .isZero();
        JsonNode json = ctl.json();
        JsonNode lru = json.get("policies").get(0);
        JsonNode current = json.get("policies").get(1);
        assertThat(lru.get("policy").asText()).isEqualTo("lru");
        assertThat(lru.get("reads").asLong())
                .isGreaterThanOrEqualTo(100)
                .as("writes of other tests are in the log too")
                .isLessThanOrEqualTo(json.get("accesses").asLong());
        assertThat(lru.get("bytesFromMemory").asLong()).isPositive();
        assertThat(lru.get("peakMemoryBytes").asLong()).isPositive().isLessThanOrEqualTo(4 * PolicyFixture.BLOCK);
        assertThat(current.get("policy").asText()).isEqualTo("idecider");
        assertThat(current.get("bytesMoved").asLong())
                .as("its threshold is out of reach")
                .isZero();
        assertThat(lru.get("meanReadMs").asDouble())
                .isLessThan(current.get("meanReadMs").asDouble());
        assertThat(ctl.run("size")).as(ctl.err).isZero();
        assertThat(ctl.out)
                .contains("policy idecider")
                .containsPattern("\\bnow\\b")
                .contains("enough");
        assertThat(fixture.dataNode.orders).as("a simulation moves nothing").isEmpty();
    }

    @Test
    void simulate_overDataNodes_showsWhereCopiesWouldBe() throws Exception {
        String candidate = fixture.file("policy: lru\n").toString();
        fixture.restart();
        long fromMs = System.currentTimeMillis();
        fixture.read(7, 3);
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--last", since(fromMs), "--cluster"))
                .isEqualTo(1);
        assertThat(ctl.err).contains("has no hosts").contains("terrace.placement.access-log.readers");
        fixture.dataNode.saysReaders = true;
        fixture.read(8, 60);
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--last", since(fromMs), "--cluster"))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out)
                .contains("over 1 DataNode ")
                .contains("on the reader's host")
                .contains("of what one memory serves")
                .contains("homes changed")
                .containsPattern("The log says of 9\\d.\\d % of the reads where the reader was");
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--cluster", "--json", "--memory", "2m"))
                .as(ctl.err)
                .isZero();
        JsonNode placement = ctl.json().at("/policies/0/placement");
        assertThat(placement.get("dataNodes").asInt()).isEqualTo(1);
        assertThat(placement.get("readsPlaced").asInt()).isGreaterThanOrEqualTo(60);
        assertThat(placement.get("readsFromMemoryOnHost").asInt())
                .isLessThanOrEqualTo(placement.get("readsFromMemory").asInt());
        assertThat(ctl.json().at("/policies/1/placement").isObject()).isTrue();
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--cluster", "--reach", "101"))
                .isEqualTo(2);
        assertThat(ctl.err).contains("0..100");
        assertThat(ctl.run("policy", "simulate", "--policy", candidate, "--cluster", "--trace", candidate))
                .isEqualTo(2);
        assertThat(ctl.err).contains("a trace has no hosts");
    }

    @Test
    void simulate_rulesAndPools_holdAsTheyDoInTheService() throws Exception {
        String never = fixture.file("policy: lru\nrules: [{path: /tmp/**, place: never}]\n")
                .toString();
        String pooled = Files.writeString(
                        dir.resolve("pooled.yaml"),
                        "policy: lru\npools: [{name: scratch, share: 25%}]\nrules: [{path: /tmp/**, pool: scratch}]\n")
                .toString();
        fixture.restart();
        assertThat(ctl.run("policy", "apply", pooled)).as(ctl.err).isZero();
        long fromMs = System.currentTimeMillis();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < PolicyFixture.FILES; i++) {
                fixture.dataNode.reads(fixture.blocks.get(i), 1);
                fixture.dataNode.beat();
                fixture.dataNode.beat();
            }
        }
        long scratch = fixture.blocks.stream()
                .filter(block -> fixture.blocks.indexOf(block) % 3 == 0
                        && fixture.dataNode.memory.containsKey(block.getBlockId()))
                .count();
        assertThat(scratch).as("of four blocks a quarter is for /tmp").isEqualTo(1);
        assertThat(fixture.dataNode.memory).hasSize(4);
        assertThat(ctl.run("tiers", "--json")).isZero();
        JsonNode pool = ctl.json().at("/nodes/0/pools/1");
        assertThat(pool.get("name").asText()).isEqualTo("scratch");
        assertThat(pool.get("ownBytes").asLong()).isEqualTo(PolicyFixture.BLOCK);
        assertThat(pool.get("usedBytes").asLong()).isEqualTo(PolicyFixture.BLOCK);
        assertThat(ctl.run("tiers")).isZero();
        assertThat(ctl.out).containsPattern("pool +scratch +1.0 MB +1.0 MB");
        assertThat(ctl.run("policy", "show")).isZero();
        assertThat(ctl.out).contains("Pools       default 75 %, at most 100 %, lru; scratch 25 %, lru");
        assertThat(ctl.run("explain", "/tmp/f9", "--numbers")).isZero();
        assertThat(ctl.out).containsPattern("pool\\s+scratch,\\s+1\\s+of\\s+1\\s+MB\\s+used");

        assertThat(ctl.run("policy", "simulate", "--policy", never, "--last", since(fromMs), "--json"))
                .as(ctl.err)
                .isZero();
        JsonNode simulated = ctl.json().at("/policies/0");
        JsonNode current = ctl.json().at("/policies/1");
        assertThat(simulated.get("objectsMatched").asLong()).isEqualTo(4);
        assertThat(simulated.get("objectsWithoutPath").asLong()).isZero();
        assertThat(current.at("/pools/1/name").asText()).isEqualTo("scratch");
        assertThat(current.at("/pools/1/reads").asLong()).isBetween(12L, 16L);
        assertThat(ctl.run("policy", "simulate", "--policy", never, "--last", since(fromMs)))
                .isZero();
        assertThat(ctl.out)
                .contains("Rules by path of candidate hold for 4 of 12 objects.")
                .contains("pool scratch, reads")
                .doesNotContain("/tmp");
        assertThat(ctl.runAs("stranger", "policy", "simulate", "--policy", never))
                .isEqualTo(1);
    }

    @Test
    void simulate_writtenAndReadOnceEach_showsFirstReadsFromMemory() throws Exception {
        String candidate = fixture.file("policy: lru\n").toString();
        fixture.restart();
        long fromMs = System.currentTimeMillis();
        List<ExtendedBlock> data = new ArrayList<>(fixture.blocks);
        data.removeIf(block -> fixture.blocks.indexOf(block) % 3 == 0);
        AtomicInteger written = new AtomicInteger();
        await().alias("a read that comes later after its write than a simulated move takes")
                .pollInterval(Duration.ofMillis(700))
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    int next = written.getAndIncrement();
                    if (next > 0) {
                        fixture.dataNode.reads(data.get((next - 1) % data.size()), 1);
                    }
                    fixture.dataNode.writes(data.get(next % data.size()));
                    fixture.dataNode.beat();
                    return ctl.run(simulate(candidate, fromMs, "--json")) == 0
                            && ctl.json().at("/policies/0/firstReadsFromMemory").asLong() > 0;
                });
        JsonNode lru = ctl.json().at("/policies/0");
        assertThat(lru.get("firstReads").asLong()).isGreaterThan(4);
        assertThat(lru.get("bytesAhead").asLong()).isGreaterThanOrEqualTo(PolicyFixture.BLOCK);
        assertThat(ctl.run(simulate(candidate, fromMs))).as(ctl.err).isZero();
        assertThat(ctl.out).contains("first reads from memory").contains("of these in vain");
        assertThat(ctl.run(simulate(candidate, fromMs, "--json", "--in-vain", "0")))
                .isZero();
        assertThat(ctl.json().at("/policies/0/firstReadsFromMemory").asLong()).isZero();
        assertThat(ctl.run(simulate(candidate, fromMs, "--in-vain", "51"))).isEqualTo(2);
    }

    private static String[] simulate(String candidate, long fromMs, String... more) {
        String[] call = {"policy", "simulate", "--policy", candidate, "--memory", "64m", "--last", since(fromMs)};
        return with(call, more);
    }

    private static String since(long fromMs) {
        return (System.currentTimeMillis() - fromMs) / 1000 + 1 + "s";
    }

    @Test
    void simulate_traceOfAFile_needsNoService() throws Exception {
        StringBuilder csv = new StringBuilder("time_s,object_id,bytes,op,obj_size,job\n");
        for (int i = 0; i < 1000; i++) {
            csv.append(i).append(",o").append(i % 5).append(",100,R,100,\n");
        }
        Path trace = Files.writeString(dir.resolve("trace.csv"), csv);
        String candidate = fixture.file("policy: lru\nsmallest: 50\n").toString();
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
        assertThat(ctl.run(with(call, "none", "--plot", dir + "/absent/plot.png")))
                .isEqualTo(2);
        assertThat(ctl.out).as("nothing was simulated").isEmpty();
        assertThat(ctl.err).contains("there is no directory " + dir + "/absent").doesNotContain("\tat ");
        assertThat(ctl.run(with(call, "none", "--plot", dir.toString()))).isEqualTo(1);
        assertThat(ctl.err).startsWith("placementctl: ").doesNotContain("\tat ");
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
