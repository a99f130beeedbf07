package io.terrace.bench.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuidePageTest {

    @Test
    void blocks_areThoseOfTheShellInTheirOrder() {
        List<String> lines =
                List.of("a", "```sh", "one", "two", "```", "```yaml", "no: x", "```", "b", "```sh", "three", "```");
        assertThat(GuidePage.blocks(lines)).containsExactly("one\ntwo\n", "three\n");
    }

    @Test
    void script_ofAPageWithoutCommands_isRefused(@TempDir Path dir) throws IOException {
        Path page = Files.writeString(dir.resolve("page.md"), "# Nothing to run\n");
        assertThatThrownBy(() -> GuidePage.script(page))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("page.md");
    }

    /** {@code bin/terrace test dist} runs them. */
    @ParameterizedTest
    @ValueSource(strings = {"install.md", "upgrade-and-remove.md"})
    void script_ofAGuide_isValidShell(String page) throws IOException, InterruptedException {
        String script = GuidePage.script(Path.of("..", "docs", "guides", page));
        Process bash =
                new ProcessBuilder("bash", "-n", "-c", script).inheritIO().start();
        assertThat(bash.waitFor()).isZero();
    }
}
