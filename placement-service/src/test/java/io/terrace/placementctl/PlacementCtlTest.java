package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.placementctl.terminal.StandardOutput;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command's real output, against a NameNode with the plugin. */
@Tag("cluster")
class PlacementCtlTest extends PlacementCtlFixture {
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
        String service = CtlSession.site("terrace.placement.rpc-address", PlacementCtlFixture.service);
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
