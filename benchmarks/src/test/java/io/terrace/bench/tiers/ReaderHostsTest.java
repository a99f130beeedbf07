package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.conf.TerraceSettings;
import io.terrace.placementctl.PlacementCtl;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two DataNodes of one host are read by clients of two hosts, the log of accesses has where they were, and {@code placementctl
 * policy simulate --cluster} simulates it.
 */
@Tag("cluster")
class ReaderHostsTest {

    private static final int READS = 20;

    private final Path file = new Path("/data/file");

    @TempDir
    java.nio.file.Path dir;

    private FourTierCluster tiers;

    @BeforeEach
    void start() throws Exception {
        tiers = new FourTierCluster(Map.of(
                TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.key(),
                dir.resolve("log").toString()));
        tiers.create(file);
    }

    @AfterEach
    void stop() throws IOException {
        tiers.close();
    }

    /** Reads as a client on a host with this address, which is one of the loopback interface. */
    private void readFrom(String address, int times) throws Exception {
        Configuration conf = new Configuration(tiers.cluster.getConfiguration(0));
        conf.set("dfs.client.local.interfaces", address);
        // Connections of another context, which may be of another host, would be used again.
        conf.set("dfs.client.context", address);
        try (FileSystem fs = FileSystem.newInstance(tiers.cluster.getURI(), conf)) {
            for (int i = 0; i < times; i++) {
                try (InputStream in = fs.open(file)) {
                    assertThat(in.readAllBytes()).isEqualTo(tiers.bytes);
                }
            }
        }
    }

    private JsonNode simulate() throws IOException {
        URI fileSystem = tiers.cluster.getURI();
        java.nio.file.Path conf = Files.createDirectories(dir.resolve("conf"));
        site(conf.resolve("core-site.xml"), "fs.defaultFS", fileSystem.toString());
        String address = tiers.cluster.getConfiguration(0).get(TerraceSettings.PLACEMENT_RPC_ADDRESS.key());
        site(conf.resolve("hdfs-site.xml"), TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), address);
        java.nio.file.Path policy = Files.writeString(dir.resolve("policy.yaml"), "policy: lru\n");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = PlacementCtl.run(
                new PrintWriter(out),
                new PrintWriter(err),
                "policy",
                "simulate",
                "--policy",
                policy.toString(),
                "--compare",
                "none",
                "--cluster",
                "--json",
                "--conf",
                conf.toString());
        return code == 0 ? new ObjectMapper().readTree(out.toString()).at("/policies/0/placement") : null;
    }

    private static void site(java.nio.file.Path file, String key, String value) throws IOException {
        Files.writeString(
                file,
                "<configuration><property><name>" + key + "</name><value>" + value
                        + "</value></property></configuration>");
    }

    private List<String> log() throws IOException {
        try (Stream<java.nio.file.Path> files = Files.list(dir.resolve("log/accesses"))) {
            return files.filter(segment -> String.valueOf(segment.getFileName()).startsWith("accesses-"))
                    .flatMap(ReaderHostsTest::lines)
                    .toList();
        }
    }

    private static Stream<String> lines(java.nio.file.Path segment) {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(segment))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readers_ofTwoHosts_areRecordedAndSimulated() throws Exception {
        // DataNodes say where readers are once the service has answered that it wants to know.
        await().atMost(FourTierCluster.PATIENCE).untilAsserted(() -> {
            readFrom("127.0.0.1", 1);
            JsonNode placement = simulate();
            assertThat(placement).isNotNull();
            assertThat(placement.get("readsPlaced").asInt()).isPositive();
        });
        long before = simulate().get("reads").asLong();
        readFrom("127.0.0.1", READS);
        readFrom("127.0.0.2", READS);
        await().atMost(FourTierCluster.PATIENCE)
                .until(() -> simulate().get("reads").asLong() >= before + 2 * READS);
        JsonNode placement = simulate();
        assertThat(placement.get("dataNodes").asInt()).isEqualTo(2);
        assertThat(placement.get("blocksPlaced").asInt()).isEqualTo(1);
        assertThat(placement.get("readsPlaced").asLong()).isGreaterThanOrEqualTo(2 * READS);
        long local = placement.get("readsFromMemoryOnHost").asLong();
        long all = placement.get("readsFromMemory").asLong();
        assertThat(all - local).as("those from the other host").isBetween(READS - 3L, (long) READS);
        assertThat(local).isPositive();
        assertThat(String.join("\n", log()))
                .contains("#node,", "#by,", "#held,")
                .doesNotContain("127.0.0");
    }
}
