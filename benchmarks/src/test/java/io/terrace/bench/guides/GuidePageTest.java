package io.terrace.bench.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GuidePageTest {
    private static final String PAGE =
            """
            Run this (see `hdfs-site.xml`):

            ```sh
            one
            two
            ```
            ```yaml
            no: x
            ```
            1. In `hdfs-site.xml`:

               ```xml
               <property><name>a</name><value>
                 1 </value></property>
               ```
               and in `hdfs-site.xml`:
               ```xml
               <property><name>b</name><value>2</value></property>
               ```
            2. In `some-env.sh`:
               ```sh
               export A=b
               ```
            Then run this, perhaps with `-D a.b=c.D`.
            ```sh
            three
            ```
            """;

    @TempDir
    Path dir;

    private GuidePage page(String text) throws IOException {
        return GuidePage.read(Files.writeString(dir.resolve("page.md"), text));
    }

    @Test
    void scripts_areTheCommandsInTheirOrder() throws IOException {
        assertThat(page(PAGE).scripts()).containsExactly("one\ntwo\n", "three\n");
    }

    @Test
    void properties_areThoseOfAllBlocksForTheFile() throws IOException {
        assertThat(page(PAGE).properties("hdfs-site.xml"))
                .containsEntry("a", "1")
                .containsEntry("b", "2")
                .hasSize(2);
    }

    @Test
    void contents_ofAFile_areWithoutTheIndentOfTheList() throws IOException {
        assertThat(page(PAGE).contents("some-env.sh")).containsExactly("export A=b\n");
    }

    @Test
    void jobOptions_areFound() throws IOException {
        assertThat(page(PAGE).jobOptions()).containsExactly("a.b=c.D");
    }

    @Test
    void whatAPageLacks_isSaid() throws IOException {
        GuidePage empty = page("# Nothing to run\n");
        assertThatThrownBy(empty::script)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("page.md has no commands");
        assertThatThrownBy(() -> empty.properties("hdfs-site.xml")).hasMessageContaining("no block for hdfs-site.xml");
        assertThatThrownBy(empty::jobOptions).hasMessageContaining("no option -D");
    }

    /** {@code bin/terrace test dist} and {@code test guides} run them. */
    @ParameterizedTest
    @ValueSource(strings = {"install.md", "upgrade-and-remove.md", "hbase.md", "mapreduce.md", "spark.md"})
    void script_ofAGuide_isValidShell(String page) throws IOException, InterruptedException {
        String script = GuidePage.read(Path.of("..", "docs", "guides", page)).script();
        Process bash =
                new ProcessBuilder("bash", "-n", "-c", script).inheritIO().start();
        assertThat(bash.waitFor()).isZero();
    }
}
