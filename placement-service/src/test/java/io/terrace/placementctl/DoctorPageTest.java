package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/doctor.md} lists each finding of {@code doctor} with its severities, as they are in the code. */
class DoctorPageTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String CTL = "placement-service/src/main/java/io/terrace/placementctl/";
    private static final String HEALTH = "placement-service/src/main/java/io/terrace/placement/hdfs/health/";
    private static final String HEARTBEAT = "datanode-tiers/src/main/java/io/terrace/datanode/heartbeat/";

    /** All that makes findings. */
    private static final List<String> SOURCES = List.of(
            CTL + "ConfigurationCheck.java",
            CTL + "WriteCheck.java",
            CTL + "DoctorCommand.java",
            HEALTH + "HealthChecks.java",
            HEALTH + "PolicyHealthChecks.java",
            HEALTH + "RangePolicyChecks.java",
            HEARTBEAT + "HostDiagnostics.java",
            HEARTBEAT + "HeartbeatExchange.java");

    private static final String ID = "\"([a-z][a-z.-]+)\"";
    private static final String SEVERITY = "Severity\\.(NOTE|WARNING|ERROR)";
    private static final Pattern SEVERITY_FIRST = Pattern.compile(SEVERITY + ",\\s*" + ID);
    private static final Pattern ID_FIRST = Pattern.compile(ID + ",\\s*" + SEVERITY);
    private static final Pattern MESSAGE =
            Pattern.compile("setId\\(" + ID + "\\)\\s*\\.setSeverity\\(ConditionProto\\." + SEVERITY + "\\)");
    /** In {@code RangePolicyChecks}, where all are notes. */
    private static final Pattern ID_ALONE = Pattern.compile("return finding\\(\\s*" + ID);
    /** In {@code ConfigurationCheck.loadable}, whose callers give the severity. */
    private static final Pattern BY_CALLER = Pattern.compile("[^.]\\bseverity,\\s*" + ID);

    private static final Pattern CALLER = Pattern.compile("loadable\\(\\w+, " + SEVERITY);
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z.-]+)` \\| ([A-Z, ]+) \\|", Pattern.MULTILINE);

    private static SortedMap<String, SortedSet<String>> inCode() throws IOException {
        SortedMap<String, SortedSet<String>> found = new TreeMap<>();
        for (String source : SOURCES) {
            String text = Files.readString(ROOT.resolve(source));
            SEVERITY_FIRST.matcher(text).results().forEach(one -> add(found, one.group(2), one.group(1)));
            ID_FIRST.matcher(text).results().forEach(one -> add(found, one.group(1), one.group(2)));
            MESSAGE.matcher(text).results().forEach(one -> add(found, one.group(1), one.group(2)));
            ID_ALONE.matcher(text).results().forEach(one -> add(found, one.group(1), "NOTE"));
            BY_CALLER.matcher(text).results().forEach(one -> CALLER.matcher(text)
                    .results()
                    .forEach(caller -> add(found, one.group(1), caller.group(1))));
        }
        return found;
    }

    private static void add(Map<String, SortedSet<String>> found, String id, String severity) {
        found.computeIfAbsent(id, unused -> new TreeSet<>()).add(severity);
    }

    private static SortedMap<String, SortedSet<String>> onPage() throws IOException {
        SortedMap<String, SortedSet<String>> listed = new TreeMap<>();
        Matcher rows = ROW.matcher(Files.readString(ROOT.resolve("docs/doctor.md")));
        while (rows.find()) {
            for (String severity : rows.group(2).split(", ")) {
                add(listed, rows.group(1), severity);
            }
        }
        return listed;
    }

    @Test
    void page_listsEachFindingOfTheCode() throws IOException {
        assertThat(onPage()).isEqualTo(inCode());
    }

    /** So that a source which makes findings in another way does not go unseen. */
    @Test
    void sources_allHaveFindings() throws IOException {
        assertThat(inCode()).hasSizeGreaterThan(70).containsKeys("missing-class", "range.unchecked", "tier.left");
        assertThat(inCode().get("missing-class")).containsExactly("ERROR", "WARNING");
    }
}
