package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.placementctl.command.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code placementctl size} over a trace, without a service. */
class SizeCtlTest {

    private static final int HOT = 8;
    private static final int COLD = 248;
    private static final int MB = 1 << 20;

    @TempDir
    Path dir;

    private Path policy;
    private Path trace;
    private String out = "";
    private String err = "";

    /** 8 objects of a megabyte that are read again and again, and 248 that are read once. */
    @BeforeEach
    void write() throws Exception {
        policy = Files.writeString(dir.resolve("policy.yaml"), "policy: lru\n");
        StringBuilder rows = new StringBuilder("time_s,object_id,bytes,op,obj_size,job\n");
        for (int i = 0; i < 20 * COLD; i++) {
            boolean once = i % 20 == 0;
            String object = once ? "cold" + i / 20 : "hot" + i % HOT;
            rows.append("%d,%s,%d,R,%d,\n".formatted(i, object, MB, MB));
        }
        trace = Files.writeString(dir.resolve("trace.csv"), rows);
    }

    private int run(String... arguments) {
        StringWriter said = new StringWriter();
        StringWriter failed = new StringWriter();
        int code = PlacementCtl.run(new PrintWriter(said, true), new PrintWriter(failed, true), arguments);
        out = said.toString();
        err = failed.toString();
        return code;
    }

    @Test
    void size_findsTheMemoryThatTheHotObjectsNeed() throws Exception {
        assertThat(run("size", "--trace", trace.toString(), "--policy", policy.toString(), "--json"))
                .as(err)
                .isEqualTo(ExitCode.OK);
        JsonNode json = new ObjectMapper().readTree(out);
        long enough = json.get("enoughBytes").asLong();
        assertThat(enough)
                .isBetween((long) HOT * MB, 4L * HOT * MB)
                .isEqualTo(json.get("enoughBytesOfEachDataNode").asLong());
        JsonNode sizes = json.get("sizes");
        assertThat(sizes.get(0).get("memoryBytes").asLong())
                .as("one that is not enough")
                .isLessThan(enough);
        assertThat(sizes.get(sizes.size() - 1).get("memoryBytes").asLong())
                .isGreaterThanOrEqualTo((HOT + COLD) * (long) MB);
        assertThat(sizes.get(sizes.size() - 1).get("readsFromMemoryShare").asDouble())
                .isGreaterThan(0.9);
    }

    @Test
    void size_agreesWithPolicySimulate() throws Exception {
        assertThat(run("size", "--trace", trace.toString(), "--policy", policy.toString(), "--json"))
                .as(err)
                .isEqualTo(ExitCode.OK);
        for (JsonNode size : new ObjectMapper().readTree(out).get("sizes")) {
            String memory = size.get("memoryBytes").asText();
            assertThat(run(
                            "policy",
                            "simulate",
                            "--trace",
                            trace.toString(),
                            "--policy",
                            policy.toString(),
                            "--compare",
                            "none",
                            "--memory",
                            memory,
                            "--json"))
                    .as(err)
                    .isEqualTo(ExitCode.OK);
            JsonNode simulated =
                    new ObjectMapper().readTree(out).get("policies").get(0);
            double share = simulated.get("readsFromMemory").asDouble()
                    / simulated.get("reads").asDouble();
            assertThat(size.get("readsFromMemoryShare").asDouble())
                    .as("reads from memory of " + memory + " bytes, within 3 points")
                    .isCloseTo(share, within(0.03));
        }
    }

    @Test
    void size_printsATableAndWhatToSet() {
        assertThat(run("size", "--trace", trace.toString(), "--policy", policy.toString(), "--memory", "100m,1g"))
                .as(err)
                .isEqualTo(ExitCode.OK);
        assertThat(out)
                .contains("4960 accesses of 256 objects, 256 MB in all")
                .contains("100 MB", "1.0 GB", "enough")
                .containsPattern("terrace.datanode.memory.capacity = [0-9]+m")
                .contains("sudo terrace-host prepare")
                .doesNotContain("noswap");
        assertThat(out.lines()).as("fits a terminal").allMatch(line -> line.length() <= 100);
    }

    @Test
    void size_withWhatMakesNoSense_isRefusedWithTheOption() {
        assertThat(run("size", "--memory", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(err).contains("--memory takes at most 20 sizes above 0");
        assertThat(run("size", "--memory", "1g,much")).isEqualTo(ExitCode.USAGE);
        assertThat(err).contains("--memory", "'much' is no number of bytes; write it e.g. as 64g");
        assertThat(run("size", "--memory", "-1")).isEqualTo(ExitCode.USAGE);
        assertThat(run("size", "--last", "0s")).isEqualTo(ExitCode.USAGE);
        assertThat(run("size", "--trace", dir.resolve("absent").toString(), "--policy", policy.toString()))
                .isEqualTo(ExitCode.REFUSED);
        assertThat(err).contains("cannot be read: there is no such file");
    }
}
