package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterLayoutTest {
    @TempDir
    Path dir;

    @Test
    void sockets_belowLongDirectory_haveShortPaths() {
        ClusterLayout layout = new ClusterLayout(Path.of("/srv/" + "long/".repeat(30)));

        assertThat(layout.channel().toString().length() + 1 + 41).isLessThanOrEqualTo(107);
        assumeThat(Files.isWritable(Path.of("/run"))).isTrue();
        assertThat(layout.shortCircuit().toString().length()).isLessThanOrEqualTo(107);
    }

    @Test
    void shortCircuit_belowDirectoryThatOthersCanWrite_standsElsewhere() throws IOException {
        assumeThat(Files.isWritable(Path.of("/run"))).isTrue();
        Path open = Files.createDirectory(dir.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxr-x"));

        assertThat(new ClusterLayout(open.resolve("cluster")).shortCircuit().startsWith(open))
                .isFalse();
    }

    @Test
    void canReadShortCircuit_wherePathIsShortAndOthersCannotWrite_isTrue() {
        assertThat(new ClusterLayout(Path.of("/srv/cluster")).canReadShortCircuit())
                .isTrue();
    }

    @Test
    void canReadShortCircuit_whereNoDirectoryFits_isFalse() {
        assumeThat(System.getenv("XDG_RUNTIME_DIR")).isNull();
        assumeThat(Files.isWritable(Path.of("/run"))).isFalse();
        assertThat(new ClusterLayout(Path.of("/srv/" + "long/".repeat(30))).canReadShortCircuit())
                .isFalse();
    }

    @Test
    void memory_ofTwoDirectories_differs() {
        assertThat(new ClusterLayout(Path.of("/srv/a")).memory())
                .isNotEqualTo(new ClusterLayout(Path.of("/srv/b")).memory());
        assertThat(new ClusterLayout(Path.of("/srv/x/../a")).memory())
                .isEqualTo(new ClusterLayout(Path.of("/srv/a")).memory());
    }
}
