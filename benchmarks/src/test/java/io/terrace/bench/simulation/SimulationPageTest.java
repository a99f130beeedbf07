package io.terrace.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.simulation.fault.Mutation;
import io.terrace.bench.simulation.kernel.Invariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/simulation.md} lists each invariant, and each mutation with the invariant that must find it, as the code has them. */
class SimulationPageTest {
    private static final Path DOCS = Path.of("").toAbsolutePath().getParent().resolve("docs");
    private static final Pattern ROW = Pattern.compile("^\\| ([a-z-]+) \\| (.+) \\|$", Pattern.MULTILINE);

    /** The rows of the table under a heading, by their first column. */
    private static SortedMap<String, String> rows(String heading) throws IOException {
        String page = Files.readString(DOCS.resolve("simulation.md"));
        int begin = page.indexOf("\n## " + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        SortedMap<String, String> rows = new TreeMap<>();
        Matcher matcher = ROW.matcher(page.substring(begin, end < 0 ? page.length() : end));
        while (matcher.find()) {
            assertThat(rows.put(matcher.group(1), matcher.group(2)))
                    .as("another row of " + matcher.group(1))
                    .isNull();
        }
        return rows;
    }

    @Test
    void page_listsEachInvariant() throws IOException {
        assertThat(rows("Invariants").keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Invariant.values()).map(Invariant::title).toList());
    }

    @Test
    void page_listsEachMutationBesideWhatItBreaks() throws IOException {
        SortedMap<String, TreeSet<String>> inCode = new TreeMap<>();
        for (Mutation mutation : Mutation.values()) {
            inCode.computeIfAbsent(mutation.breaks().title(), unused -> new TreeSet<>())
                    .add(mutation.title());
        }
        SortedMap<String, TreeSet<String>> onPage = new TreeMap<>();
        rows("Mutations")
                .forEach((invariant, found) -> onPage.put(invariant, new TreeSet<>(List.of(found.split(", ")))));

        assertThat(onPage).isEqualTo(inCode);
    }

    @Test
    void page_countsTheMutations() throws IOException {
        assertThat(Files.readString(DOCS.resolve("simulation.md")))
                .contains("switches on one of " + Mutation.values().length + " bugs (mutations)");
    }
}
