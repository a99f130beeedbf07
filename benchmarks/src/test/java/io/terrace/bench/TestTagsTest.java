package io.terrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Test classes carry the tag of what they start, so that {@code mvn -Pfast test} leaves them out.
 *
 * <ul>
 *   <li>{@code cluster}: a NameNode, a DataNode or a Kerberos server in the JVM of the test
 *   <li>{@code daemons}: daemons in JVMs of their own
 *   <li>{@code simulation}: many seeds of the simulated cluster
 *   <li>no tag: a unit test
 * </ul>
 *
 * This class reads the compiled tests of the other modules too: this module is built last.
 */
class TestTagsTest {
    private static final Set<String> TAGS = Set.of("cluster", "daemons", "simulation");
    private static final Set<String> TAGS_OF_DAEMONS = Set.of("cluster", "daemons");

    @ParameterizedTest
    @ValueSource(strings = {"rdma-channel", "datanode-tiers", "placement-service", "benchmarks"})
    void testThatStartsADaemon_directlyOrThroughAFixture_isTagged(String module) {
        Map<String, Set<JavaClass>> classes = testClasses(module);
        Set<String> starting = starting(classes);

        // Each of these modules has such a test. None found means that the search is broken.
        assertThat(tests(starting)).as("tests of %s that start daemons", module).isNotEmpty();
        assertThat(tests(starting))
                .as("tests of %s that lack the tag \"cluster\" or \"daemons\", see TestTagsTest", module)
                .filteredOn(name -> Collections.disjoint(tags(classes, name), TAGS_OF_DAEMONS))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"policies", "rdma-channel", "datanode-tiers", "placement-service", "benchmarks"})
    void tag_isOneThatTheFastProfileKnows(String module) {
        Map<String, Set<JavaClass>> classes = testClasses(module);

        assertThat(classes).isNotEmpty();
        assertThat(classes.keySet())
                .as("tests of %s whose tag is not one of %s", module, TAGS)
                .filteredOn(name -> !TAGS.containsAll(tags(classes, name)))
                .isEmpty();
    }

    /** Compiled classes of a module's tests, each with the classes nested in it. */
    private static Map<String, Set<JavaClass>> testClasses(String module) {
        Path compiled = Path.of("..", module, "target", "test-classes");
        assertThat(compiled)
                .as("compiled tests of %s; run Maven in the root directory, or with -am", module)
                .isDirectory();
        return new ClassFileImporter()
                .importPath(compiled).stream()
                        .collect(Collectors.groupingBy(
                                type -> outermost(type.getName()), TreeMap::new, Collectors.toSet()));
    }

    private static Set<String> starting(Map<String, Set<JavaClass>> classes) {
        Set<String> starting = new TreeSet<>();
        classes.forEach((name, types) -> {
            if (types.stream().anyMatch(TestTagsTest::startsADaemon)) {
                starting.add(name);
            }
        });
        int before;
        do {
            before = starting.size();
            classes.forEach((name, types) -> {
                if (types.stream().flatMap(TestTagsTest::targets).anyMatch(starting::contains)) {
                    starting.add(name);
                }
            });
        } while (starting.size() > before);
        return starting;
    }

    private static Set<String> tests(Set<String> classes) {
        return classes.stream().filter(name -> name.endsWith("Test")).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> targets(JavaClass type) {
        return type.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .map(target -> outermost(target.getName()));
    }

    private static boolean startsADaemon(JavaClass type) {
        return targets(type)
                        .anyMatch(name -> name.equals("org.apache.hadoop.hdfs.MiniDFSCluster")
                                || name.equals("org.apache.hadoop.minikdc.MiniKdc")
                                || name.startsWith("org.apache.hadoop.fs.contract.hdfs.")
                                || name.equals("io.terrace.bench.cluster.LocalCluster"))
                || type.getMethodCallsFromSelf().stream()
                        .map(call -> call.getTarget().getName())
                        .anyMatch(Set.of("createNameNode", "createDataNode", "instantiateDataNode")::contains);
    }

    private static Set<String> tags(Map<String, Set<JavaClass>> classes, String name) {
        return classes.get(name).stream()
                .flatMap(type -> type.tryGetAnnotationOfType(Tag.class).stream())
                .map(Tag::value)
                .collect(Collectors.toSet());
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
