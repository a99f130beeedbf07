package io.terrace.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.measure.ResultsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

class CommandLineTest {
    @TempDir
    Path dir;

    @Test
    void help_ofEveryCommand_succeedsWithin100Columns() {
        for (CommandLine command : TerraceCommand.commandLine().getSubcommands().values()) {
            String help = CommandLines.output(command.getCommandName(), "--help");

            assertThat(help).startsWith("Usage: terrace " + command.getCommandName());
            assertThat(List.of(help.split("\n")))
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "up --datanodes 0",
                "up --datanodes 33",
                "up --memory -1",
                "up --memory 4x",
                "up --heap 1",
                "up --block-size 1000",
                "up --replication 3",
                "up --datanodes many",
                "fly",
                "demo --size 1m",
                "demo --reads 0",
                "demo --read-size 5m",
                "demo --skew -1",
                "demo --trace nowhere.csv",
                "demo --input nowhere",
                "bench compare",
                "bench compare --with . --rounds 0",
                "bench compare --with . --least 1.1",
                "bench compare --with . --part WINGS",
                "bench compare --with . --only read --part READERS"
            })
    void execute_withBadOption_exits2WithMessage(String line) {
        String[] words = line.split(" ");
        String[] arguments = java.util.Arrays.copyOf(words, words.length + (words[0].equals("up") ? 2 : 0));
        if (words[0].equals("up")) {
            arguments[words.length] = "--dir";
            arguments[words.length + 1] = dir.resolve("new").toString();
        }

        CommandLines.Result result = CommandLines.run(arguments);

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.errors()).isNotBlank();
        assertThat(dir.resolve("new")).doesNotExist();
    }

    @Test
    void up_inDirectoryOfSomethingElse_exits1AndLeavesItAlone() throws IOException {
        Files.writeString(dir.resolve("letter.txt"), "dear");

        CommandLines.Result result = CommandLines.run("up", "--dir", dir.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors()).contains(dir + " holds something else than a cluster");
        assertThat(dir.toFile().list()).containsExactly("letter.txt");
    }

    @Test
    void down_withoutCluster_succeeds() {
        assertThat(CommandLines.run("down", "--dir", dir.resolve("nowhere").toString())
                        .exitCode())
                .isZero();
    }

    @Test
    void down_withBrokenDescription_exits1NamingTheFile() throws IOException {
        Files.writeString(dir.resolve("cluster.json"), "{");

        CommandLines.Result result = CommandLines.run("down", "--dir", dir.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors()).contains("cluster.json is not the description of a cluster");
    }

    @Test
    void benchCompare_withDirectoryWithoutJars_exits1NamingTheJar() {
        CommandLines.Result result = CommandLines.run("bench", "compare", "--with", dir.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors()).contains(dir + " holds no benchmarks-VERSION.jar");
    }

    @Test
    void figuresFile_readsWhatItWroteAndRefusesElse() throws IOException {
        Path file = dir.resolve("figures.json");
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("b.tcp", 1.5);
        figures.put("a.count", 3);
        figures.put("c.tcp", Double.POSITIVE_INFINITY);

        ResultsFile.write(file, figures);

        assertThat(ResultsFile.read(file))
                .containsExactly(entry("b.tcp", 1.5), entry("a.count", 3.0), entry("c.tcp", Double.POSITIVE_INFINITY));
        Files.writeString(file, "{\"a\": {}}");
        assertThatThrownBy(() -> ResultsFile.read(file))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(file + " is not one flat object of numbers");
    }

    @Test
    void byteSize_withHadoopSuffix_isBinary() {
        ByteSize size = new ByteSize();

        assertThat(size.convert("64k")).isEqualTo(65_536);
        assertThat(size.convert(" 4g ")).isEqualTo(4L << 30);
        assertThatThrownBy(() -> size.convert("-1")).isInstanceOf(TypeConversionException.class);
        assertThat(ByteSize.text(1536)).isEqualTo("1.5 KiB");
        assertThat(ByteSize.text(64 << 20)).isEqualTo("64 MiB");
    }
}
