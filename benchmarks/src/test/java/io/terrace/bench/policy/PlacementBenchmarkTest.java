package io.terrace.bench.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.policy.replay.Trace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PlacementBenchmarkTest {

    @TempDir
    Path dir;

    private Path json;
    private final StringWriter out = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @BeforeEach
    void trace() throws IOException {
        StringBuilder rows = new StringBuilder("time_s,object_id,bytes,op,obj_size,job\n");
        for (int i = 0; i < 400; i++) {
            rows.append(i + "," + (i % 2 == 0 ? i % 40 : i % 3) + ",100,R,100,\n");
        }
        Files.writeString(dir.resolve("small.csv"), rows);
        json = dir.resolve("figures.json");
    }

    private int run(String... arguments) {
        return new CommandLine(new PlacementBenchmark())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(errors, true))
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    command.getErr().println(error.getMessage());
                    return 1;
                })
                .execute(arguments);
    }

    @Test
    void call_noReference_writesTheCellsAndTheMovesAlone() throws IOException {
        int code = run(
                "--traces",
                dir.toString(),
                "--json",
                json.toString(),
                "--policy",
                "adaptive",
                "--policy",
                "lru",
                "--memory",
                "0.1",
                "--cost-objects",
                "0");
        assertThat(code).as(errors.toString()).isZero();
        JsonNode figures = new ObjectMapper().readTree(json.toFile());
        assertThat(figures.has("moved.vs_lru.mean")).isTrue();
        assertThat(figures.has("object.regret.mean")).isFalse();
        assertThat(figures.get("small/0.1/lru/object_hit").isNumber()).isTrue();
        assertThat(figures.get("small/0.1/adaptive/mean_ms").isNumber()).isTrue();
    }

    @Test
    void call_cluster_comparesWithOnePooledMemory() throws IOException {
        StringBuilder rows = new StringBuilder("time_s,object_id,bytes,op,obj_size,job\n");
        for (int i = 0; i < 4000; i++) {
            rows.append(i + "," + (i % 2 == 0 ? i % 100 : i % 2001) + ",100,R,100,\n");
        }
        Files.writeString(dir.resolve("small.csv"), rows);
        int code = run("--cluster", "--traces", dir.toString(), "--json", json.toString(), "--memory", "0.1");
        assertThat(code).as(errors.toString()).isZero();
        JsonNode figures = new ObjectMapper().readTree(json.toFile());
        assertThat(figures.get("cluster.pooled").doubleValue()).isBetween(0.8, 1.2);
        assertThat(figures.get("cluster.uneven").doubleValue()).isBetween(0.8, 1.2);
    }

    @Test
    void call_clusterOfTooFewObjects_saysSo() {
        int code = run("--cluster", "--traces", dir.toString());
        assertThat(code).isEqualTo(1);
        assertThat(errors.toString()).contains("large enough for 20 DataNodes");
    }

    @Test
    void call_reference_scoresAgainstIt() throws IOException {
        Files.writeString(
                dir.resolve("reference.csv"),
                """
                trace,tiers,mem_frac,policy,object_hit,byte_hit,job_all_hit,promoted_bytes,promoted_per_read_byte,mean_ms
                small,2,0.1,LRU,0.0,0.0,0,0,0,8
                small,2,0.1,Other,0.5,0.5,0,0,0,8
                small,2,0.1,*Clairvoyant,0.9,0.9,0,0,0,8
                small,2,0.1,#Bound,1.0,1.0,0,0,0,8
                """);
        int code = run(
                "--traces",
                dir.toString(),
                "--json",
                json.toString(),
                "--policy",
                "adaptive",
                "--policy",
                "lru",
                "--cost-objects",
                "0");
        assertThat(code).as(errors.toString()).isZero();
        JsonNode figures = new ObjectMapper().readTree(json.toFile());
        double hit = figures.get("small/0.1/adaptive/object_hit").asDouble();
        assertThat(figures.get("object.regret.max").asDouble()).isEqualTo(0.5 - hit);
        assertThat(hit).isBetween(0.1, 0.9);
        assertThat(figures.get("object.closes").asDouble()).isEqualTo(hit);
    }

    @Test
    void call_unsortedTrace_isRefusedWithItsLine() throws IOException {
        Files.writeString(dir.resolve("bad.csv"), "time_s,object_id,bytes,op,obj_size,job\n5,a,1,R,1,\n4,a,1,R,1,\n");
        assertThat(run("--traces", dir.toString(), "--cost-objects", "0")).isEqualTo(1);
        assertThat(errors.toString()).contains("bad").contains("line 3");
    }

    @Test
    void call_neitherTracesNorHeldOut_isRefused() {
        assertThat(run("--cost-objects", "0")).isEqualTo(2);
        assertThat(errors.toString()).contains("--traces");
    }

    @Test
    void call_heldOutOfATrace_distortsItFourWays() throws IOException {
        int code = run(
                "--held-out",
                "--traces",
                dir.toString(),
                "--trace",
                "small",
                "--json",
                json.toString(),
                "--policy",
                "adaptive",
                "--policy",
                "adaptive-bytes",
                "--policy",
                "adaptive-jobs",
                "--policy",
                "lru");
        assertThat(code).as(errors.toString()).isZero();
        assertThat(out.toString()).as("the best of the others").contains("lru").doesNotContain("adaptive-jobs");
        JsonNode figures = new ObjectMapper().readTree(json.toFile());
        for (String kind : new String[] {"first-half", "second-half", "sizes", "objects"}) {
            assertThat(figures.has("small." + kind + "/0.1/regret")).as(kind).isTrue();
        }
        assertThat(figures.get("heldout.regret.max").asDouble())
                .isGreaterThanOrEqualTo(figures.get("heldout.regret.mean").asDouble());
    }

    @Test
    void syntheticTraces_sameSeed_areTheSame() {
        Trace one = SyntheticTraces.all(3).get(0);
        Trace same = SyntheticTraces.all(3).get(0);
        Trace other = SyntheticTraces.all(4).get(0);
        int differing = 0;
        for (int row = 0; row < one.rows(); row++) {
            assertThat(one.object(row)).isEqualTo(same.object(row));
            differing += one.object(row) == other.object(row) ? 0 : 1;
        }
        assertThat(differing).isGreaterThan(one.rows() / 2);
    }

    @Test
    void harderTraces_sayNothingByTheTimeOfTheLastRead() {
        for (Trace trace : SyntheticTraces.harder(3)) {
            assertThat(trace.rows()).as(trace.name()).isEqualTo(60_000);
        }
        Trace loop = SyntheticTraces.harder(3).get(2);
        for (int row = loop.objects(); row < loop.rows(); row++) {
            assertThat(loop.object(row)).isEqualTo(loop.object(row - loop.objects()));
        }
        assertThat(loop.timeMs(loop.objects()) - loop.timeMs(0))
                .as("longer than counts of reads last")
                .isGreaterThan(24 * 6 * 3_600_000L);
    }
}
