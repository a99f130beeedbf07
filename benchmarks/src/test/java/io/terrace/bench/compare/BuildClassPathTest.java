package io.terrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildClassPathTest {
    private static final List<String> MODULES =
            List.of("benchmarks", "policies", "rdma-channel", "datanode-tiers", "placement-service");

    @TempDir
    Path dir;

    private Path library;
    private ClassPath own;

    @BeforeEach
    void makeOwnBuild() throws IOException {
        library = Files.createFile(dir.resolve("jmh-core-1.37.jar"));
        own = new ClassPath(List.of(dir.resolve("own/benchmarks-2.jar"), library, dir.resolve("own/policies-2.jar")));
    }

    @Test
    void in_directoryOfJars_takesTheLibrariesOfThisBuild() throws IOException {
        Path jars = Files.createDirectory(dir.resolve("jars"));
        for (String module : MODULES) {
            Files.createFile(jars.resolve(module + "-1.jar"));
        }
        Files.createFile(jars.resolve("rdma-channel-1-tests.jar"));

        assertThat(BuildClassPath.in(jars, own).entries())
                .containsExactly(
                        jars.resolve("benchmarks-1.jar"),
                        jars.resolve("policies-1.jar"),
                        jars.resolve("rdma-channel-1.jar"),
                        jars.resolve("datanode-tiers-1.jar"),
                        jars.resolve("placement-service-1.jar"),
                        library);
    }

    @Test
    void in_checkout_takesItsOwnLibrariesAndJarsAlsoAfterItWasMoved() throws IOException {
        Path checkout = builtCheckout();
        Path lib = Files.createFile(dir.resolve("old-lib-1.jar"));
        Files.writeString(classPathFile(checkout), dir.resolve("before/policies-1.jar") + ":" + lib + "\n");

        assertThat(BuildClassPath.in(checkout, own).entries())
                .contains(checkout.resolve("policies/target/policies-1.jar"), lib)
                .doesNotContain(library, dir.resolve("before/policies-1.jar"));
    }

    @Test
    void in_checkoutThatIsNotBuilt_namesWhatIsMissingAndTheRemedy() throws IOException {
        Path checkout = builtCheckout();

        assertThatThrownBy(() -> BuildClassPath.in(checkout, own))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(classPathFile(checkout) + " is missing: run 'mvn");
        Files.writeString(classPathFile(checkout), dir.resolve("gone-1.jar").toString());
        assertThatThrownBy(() -> BuildClassPath.in(checkout, own))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining(dir.resolve("gone-1.jar") + ", of ");
        Files.delete(checkout.resolve("policies/target/policies-1.jar"));
        assertThatThrownBy(() -> BuildClassPath.in(checkout, own))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("holds no policies-VERSION.jar: run 'mvn");
    }

    @Test
    void in_directoryWithTwoVersionsOrNone_isRefused() throws IOException {
        Path jars = Files.createDirectory(dir.resolve("jars"));
        Files.createFile(jars.resolve("benchmarks-1.jar"));
        Files.createFile(jars.resolve("benchmarks-2.jar"));

        assertThatThrownBy(() -> BuildClassPath.in(jars, own))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("more than one jar of benchmarks");
        assertThatThrownBy(() -> BuildClassPath.in(dir.resolve("nowhere"), own))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("nowhere is no directory");
    }

    private Path builtCheckout() throws IOException {
        Path checkout = dir.resolve("checkout");
        for (String module : MODULES) {
            Path target = Files.createDirectories(checkout.resolve(module).resolve("target"));
            Files.createFile(target.resolve(module + "-1.jar"));
        }
        return checkout;
    }

    private static Path classPathFile(Path checkout) {
        return checkout.resolve("benchmarks/target/classpath.txt");
    }
}
