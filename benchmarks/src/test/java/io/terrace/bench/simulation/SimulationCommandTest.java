package io.terrace.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.simulation.fault.Mutation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("simulation")
final class SimulationCommandTest {

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();

    private int execute(String... arguments) {
        return new CommandLine(new Simulation())
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }

    /** The one search for all of them: it takes long. */
    @Test
    void everyPlantedBug_isFoundInTime_andJsonHoldsTheFiguresFlat() throws Exception {
        Path file = directory.resolve("figures.json");

        int code = execute("--seeds", "2", "--json", file.toString());

        JsonNode figures = new ObjectMapper().readTree(file.toFile());
        assertThat(code).as(out.toString()).isZero();
        for (Mutation mutation : Mutation.values()) {
            assertThat(out.toString().lines()).anySatisfy(line -> assertThat(line)
                    .startsWith(mutation.title() + " ")
                    .contains(" found by seed ", mutation.breaks().title()));
        }
        assertThat(figures.get("seeds").asInt()).isEqualTo(2);
        assertThat(figures.get("failed").asInt()).isZero();
        assertThat(figures.get("seeds_per_hour").asLong()).isPositive();
        assertThat(figures.get("plants").asInt()).isEqualTo(Mutation.values().length);
        assertThat(figures.get("plants_found").asInt()).isEqualTo(Mutation.values().length);
    }

    @Test
    void plantNone_runsSeedsAlone() throws Exception {
        Path file = directory.resolve("figures.json");

        int code = execute("--seeds", "1", "--plant", "none", "--json", file.toString());

        JsonNode figures = new ObjectMapper().readTree(file.toFile());
        assertThat(code).isZero();
        assertThat(figures.get("seeds").asInt()).isEqualTo(1);
        assertThat(figures.get("plants").asInt()).isZero();
    }

    @Test
    void plantList_namesThemAll() {
        assertThat(execute("--plant", "list")).isZero();
        for (Mutation mutation : Mutation.values()) {
            assertThat(out.toString().lines()).anySatisfy(line -> assertThat(line)
                    .startsWith(mutation.title())
                    .contains(mutation.breaks().title())
                    .endsWith(mutation.bug()));
        }
    }

    @Test
    void seed_printsItsEventLog() {
        int code = execute("--seed", "1", "--plant", "link-kept-after-open");

        assertThat(code).isEqualTo(1);
        assertThat(out.toString()).contains("nn0", "is active in epoch 1", "links-removed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--seed 1 --plant all          | --seed replays one seed",
                "--seed 1 --plant list         | --seed replays one seed",
                "--seed 1 --json figures.json  | --json",
                "--seed 1 --seeds 5            | --seeds",
                "--seed 1 --first 5            | --first",
                "--plant token-ignored --seeds 5 | leave out --seeds",
                "--plant list --seeds 5        | leave out --seeds",
                "--seeds -1                    | cannot be negative",
            })
    void optionsThatMakeNoSense_areRefused(String arguments, String why) {
        StringWriter errors = new StringWriter();

        int code = new CommandLine(new Simulation())
                .setErr(new PrintWriter(errors, true))
                .execute(arguments.split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(errors.toString()).contains(why);
    }

    @Test
    void plantFound_isToldWithTheCommandThatReplaysIt() {
        int code = execute("--plant", "link-kept-after-open");

        assertThat(code).isZero();
        assertThat(out.toString()).contains("bin/terrace test simulation --seed 1 --plant link-kept-after-open");
    }

    @Test
    void log_isSilentOverManySeeds_andToldOfOne() {
        CountingAppender log = new CountingAppender();
        Level before = Logger.getRootLogger().getLevel();
        Logger.getRootLogger().setLevel(Level.ALL);
        Logger.getRootLogger().addAppender(log);
        try {
            assertThat(execute("--seeds", "1", "--plant", "none")).isZero();
            assertThat(execute("--plant", "link-kept-after-open")).isZero();
            assertThat(log.lines).isZero();

            execute("--seed", "1");
            assertThat(log.lines).isPositive();
        } finally {
            Logger.getRootLogger().removeAppender(log);
            Logger.getRootLogger().setLevel(before);
        }
    }

    @Test
    void plantUnknown_isRefusedWithTheRemedy() {
        StringWriter errors = new StringWriter();

        int code = new CommandLine(new Simulation())
                .setErr(new PrintWriter(errors, true))
                .execute("--plant", "weed");

        assertThat(code).isNotZero();
        assertThat(errors.toString()).contains("weed", "--plant list");
    }

    private static final class CountingAppender extends AppenderSkeleton {
        private int lines;

        @Override
        protected void append(LoggingEvent event) {
            lines++;
        }

        @Override
        public boolean requiresLayout() {
            return false;
        }

        @Override
        public void close() {}
    }
}
