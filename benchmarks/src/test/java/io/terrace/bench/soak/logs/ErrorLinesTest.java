package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ErrorLinesTest {
    private static final String PLUGIN = "io.terrace.datanode.hdfs.TerraceDataNodePlugin";

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Word for word what stock's own stream logs for a fault of the pipeline, so it goes to its logger. */
    private static final String AS_STOCK = "No ack received";

    private final List<String> printed = new ArrayList<>();
    private final ErrorLines lines = new ErrorLines(
            List.of(new ErrorLines.Explained(PLUGIN, Pattern.compile("Known"), "for the test")),
            (process, line) -> printed.add(process + " " + line));

    @Test
    void error_ofTerrace_countsOnce_whereverItsClassIs() {
        lines.take("datanode-1", line("ERROR", PLUGIN, "Terrace could not start, the DataNode is stock: gone"));
        lines.take("datanode-1", line("ERROR", PLUGIN, "Terrace could not start, the DataNode is stock: gone"));
        lines.take("datanode-2", line("ERROR", PLUGIN, "Terrace could not start, the DataNode is stock: gone"));
        lines.take(
                "c1",
                line("ERROR", "org.apache.hadoop.hdfs.TerraceDataStreamer", "/f is closed, and has lost a block"));
        lines.take("c1", line("FATAL", "io.terrace.client.Any", "halt"));

        assertThat(lines.figures()).containsEntry("errors", 4L).containsEntry("errors.explained", 0L);
        assertThat(printed).hasSize(4).first().asString().startsWith("datanode-1 2026-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.apache.hadoop.hdfs.StockEndedBlock",
                "org.apache.hadoop.hdfs.StockEndedBlock$Copy",
                "org.apache.hadoop.hdfs.TerraceDataStreamer$1",
                "io.terrace.audit"
            })
    void loggers_ofTerraceByAnyName_count(String logger) {
        lines.take("c1", line("ERROR", logger, "gone"));
        assertThat(lines.figures()).containsEntry("errors", 1L);
    }

    /** A class that extends one of Hadoop has that one's LOG at hand. */
    @Test
    void errors_ofClassesInPackagesOfHadoop_goToLoggersThatCount() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("rdma-channel", "datanode-tiers", "placement-service")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java/org/apache/hadoop"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        List<String> checked = new ArrayList<>();
        for (Path source : sources) {
            String text = Files.readString(source);
            String name = source.getFileName().toString().replace(".java", "");
            Matcher error = Pattern.compile("([\\w.]+)\\.error\\((.*)").matcher(text);
            while (error.find()) {
                if (!error.group(2).contains(AS_STOCK)) {
                    assertThat(text)
                            .contains("Logger " + error.group(1) + " = LoggerFactory.getLogger(" + name + ".class)");
                    checked.add(name);
                }
            }
        }
        assertThat(checked).contains("TerraceDataStreamer", "TerraceDatasetFactory");
    }

    @Test
    void line_ofAnotherLevelOrOfHadoop_isNone() {
        lines.take("datanode-1", line("WARN ", PLUGIN, "an ERROR of no weight"));
        lines.take(
                "namenode",
                line("ERROR", "org.apache.hadoop.hdfs.server.namenode.FSNamesystem", "io.terrace.Some failed"));
        lines.take("c1", line("ERROR", "io.terrace.bench.soak.client.SoakClient", "of the test itself"));
        lines.take("c1", "java.io.IOException: Got error, status=ERROR io.terrace.x: y");

        assertThat(lines.figures()).containsEntry("errors", 0L);
        assertThat(printed).isEmpty();
    }

    @Test
    void error_thatAFaultExplains_countsApart() {
        lines.take("datanode-1", line("ERROR", PLUGIN, "Known: the disk is full"));
        lines.take("datanode-1", line("ERROR", PLUGIN, "What is Known"));
        lines.take("datanode-1", line("ERROR", PLUGIN + "2", "Known"));

        assertThat(lines.figures()).containsEntry("errors", 2L).containsEntry("errors.explained", 1L);
    }

    private static String line(String level, String logger, String message) {
        return "2026-11-28 08:57:18,361 " + level + " " + logger + ": " + message;
    }
}
