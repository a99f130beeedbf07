package io.terrace.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HadoopFitTest {

    @ParameterizedTest
    @ValueSource(strings = {"3.4.1", "3.4.3", "3.4.10", "3.5.0", "3.5.1-SNAPSHOT", "3.4.1.7-100"})
    void versionProblem_ofASupportedRelease_isNull(String version) {
        assertThat(HadoopFit.versionProblem(version)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.3.6", "3.4.0", "3.6.0", "2.10.2", "4.0.0", "Unknown", ""})
    void versionProblem_ofAnother_namesItAndTheRemedy(String version) {
        assertThat(HadoopFit.versionProblem(version)).contains("Hadoop " + version, "use 3.4.1");
    }

    @Test
    void overridable_hasTheMethodsThatASubclassSees() throws IOException {
        assertThat(read(Dataset.class).overridable()).containsExactlyInAnyOrder("open", "fromPackage");
    }

    @Test
    void classFile_hasItsVersionAndNames() throws IOException {
        ClassFile file = read(Dataset.class);
        assertThat(file.majorVersion).isGreaterThanOrEqualTo(61);
        assertThat(file.name).endsWith("HadoopFitTest$Dataset");
        assertThat(file.superName).isEqualTo("java/lang/Object");
    }

    @Test
    void classFile_ofOtherBytes_isRefused() {
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> new ClassFile(new ByteArrayInputStream(new byte[] {1, 2, 3, 4})))
                .isInstanceOf(IOException.class);
    }

    private static ClassFile read(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream(type.getName().replaceFirst(".*\\.", "") + ".class")) {
            return new ClassFile(Objects.requireNonNull(in));
        }
    }

    /** A class with methods of all kinds. */
    @SuppressWarnings("unused")
    private static class Dataset {
        public void open() {}

        void fromPackage() {}

        private void own() {}

        static void ofNobody() {}
    }
}
