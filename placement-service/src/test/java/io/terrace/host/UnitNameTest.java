package io.terrace.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitNameTest {

    /** The right side is what {@code systemd-escape --path --suffix=mount} prints. */
    @ParameterizedTest
    @CsvSource({
        "/mnt/memory, mnt-memory.mount",
        "/mnt/terrace-memory, mnt-terrace\\x2dmemory.mount",
        "/.hidden/a.b, \\x2ehidden-a.b.mount",
        "/a b/ü, a\\x20b-\\xc3\\xbc.mount"
    })
    void ofMount_isAsSystemdEscapesIt(String path, String unit) {
        assertThat(UnitName.ofMount(Path.of(path))).isEqualTo(unit);
    }
}
