package io.terrace.bench.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.jars.HadoopTestJars;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassListTest {
    private static final ClassList FIVE =
            ClassList.parse(List.of("[reads]", "a.One", "a.Two", "[append]", "b.Three", "b.Four", "b.Five"));

    @Test
    void parse_groupsAndComments() {
        ClassList list =
                ClassList.parse(List.of("# all", "", "[reads]", "a.TestRead # plain", " [append] ", "  a.TestAppend"));

        assertThat(list.classes())
                .containsExactly(new ListedClass("reads", "a.TestRead"), new ListedClass("append", "a.TestAppend"));
    }

    @Test
    void parse_classBeforeFirstGroup() {
        assertThatThrownBy(() -> ClassList.parse(List.of("a.TestRead")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 1");
    }

    @Test
    void parse_classListedTwice() {
        assertThatThrownBy(() -> ClassList.parse(List.of("[reads]", "a.One", "[append]", "a.One")))
                .hasMessage("line 4: a.One is listed in line 2");
    }

    @Test
    void parse_notAClassName() {
        assertThatThrownBy(() -> ClassList.parse(List.of("[reads]", "a.One twice")))
                .hasMessageContaining("not a class name");
    }

    @Test
    void named_simpleAndFullNames() {
        assertThat(FIVE.named(List.of("Four", "a.One")).classes())
                .extracting(ListedClass::className)
                .containsExactly("b.Four", "a.One");
    }

    @Test
    void named_unlistedFullName() {
        assertThat(FIVE.named(List.of("c.Six")).classes()).containsExactly(new ListedClass("named", "c.Six"));
    }

    @Test
    void named_unlistedSimpleName() {
        assertThatThrownBy(() -> FIVE.named(List.of("Six"))).hasMessageContaining("full class name");
    }

    @Test
    void shard_coversEachClassOnce() {
        assertThat(FIVE.shard(new Shard(1, 2)).classes())
                .extracting(ListedClass::simpleName)
                .containsExactly("One", "Three", "Five");
        assertThat(FIVE.shard(new Shard(2, 2)).classes())
                .extracting(ListedClass::simpleName)
                .containsExactly("Two", "Four");
    }

    @Test
    void shardParse_outOfRange() {
        assertThat(Shard.parse("2/3")).isEqualTo(new Shard(2, 3));
        for (String bad : List.of("0/3", "4/3", "1", "1/2/3", "a/b", "1/0")) {
            assertThatThrownBy(() -> Shard.parse(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void committedLists_areValid() throws IOException {
        ClassList all = ClassList.parse(lines("classes.txt"));
        ClassList brief = ClassList.parse(lines("short.txt"));
        Exclusions excluded = Exclusions.parse(lines("excluded.txt"), Provider.SHM, false);

        assertThat(all.classes().stream().filter(listed -> !excluded.leavesOut(listed.className())))
                .hasSizeGreaterThanOrEqualTo(120);
        assertThat(all.classes()).containsAll(brief.classes());
        assertThat(all.classes())
                .extracting(ListedClass::group)
                .contains(
                        "reads",
                        "writes",
                        "append",
                        "hflush",
                        "lease-recovery",
                        "pipeline-recovery",
                        "datasets",
                        "lazy-persist",
                        "cache-directives",
                        "scanners",
                        "volumes",
                        "block-reports",
                        "balancer",
                        "mover",
                        "satisfier",
                        "storage-policies",
                        "snapshots",
                        "encryption-zones",
                        "erasure-coding",
                        "ha");
    }

    private static List<String> lines(String resource) throws IOException {
        return new String(HadoopTestJars.resource(resource), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }
}
