package io.terrace.placement.hdfs.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.hdfs.EmptyNamespaceView;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.PolicyFileWatch;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What anybody is told of a policy file that has mistakes: nothing of what it says. */
class PolicyHealthTest {

    private static final OperatorStateStore.Attribute NOTHING_STORED = new OperatorStateStore.Attribute() {
        @Override
        public byte[] load() {
            return null;
        }

        @Override
        public void save(byte[] value) {}
    };

    @TempDir
    Path dir;

    private List<String> findings(Path file) {
        PlacementSettings settings = PlacementSettings.from(key -> null);
        PolicyStore policies = new PolicyStore(
                NOTHING_STORED, settings.policy(), new PolicyFileWatch(file, new MetricRegistry()), () -> 1);
        return PolicyHealthChecks.find(
                        new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry()),
                        new OperatorStateStore(NOTHING_STORED),
                        policies,
                        new MetricRegistry())
                .stream()
                .map(found -> found.getFinding().getText())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hr/layoffs/**", "\"/o'brien/layoffs/.snapshot/**\"", "/hr/layoffs/[a"})
    void patternWithAMistake_isNotToldToEverybody(String pattern) throws IOException {
        Path file = Files.writeString(
                dir.resolve("policy.yaml"), "policy: lru\nrules:\n- {path: " + pattern + ", place: never}\n");

        assertThat(findings(file))
                .singleElement()
                .asString()
                .contains("see line 3")
                .doesNotContain("layoffs", "policy.yaml");
    }

    @Test
    void fileThatIsNotThere_isToldWithoutItsPath() {
        assertThat(findings(dir.resolve("policy.yaml")))
                .singleElement()
                .asString()
                .endsWith(": it does not exist");
    }
}
