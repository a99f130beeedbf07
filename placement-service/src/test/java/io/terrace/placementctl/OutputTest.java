package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command says and how it ends where its output cannot be written. */
class OutputTest {

    private static OutputStream failing(String why) {
        return new OutputStream() {
            @Override
            public void write(int letter) throws IOException {
                throw new IOException(why);
            }
        };
    }

    @Test
    void outputThatCannotBeWritten_isAnError() {
        StringWriter err = new StringWriter();
        PrintWriter out = new PrintWriter(failing("No space left on device"), true);

        assertThat(PlacementCtl.run(out, new PrintWriter(err), "policy", "list", "--json"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("placementctl: the output could not be written");
    }

    @Test
    void heapThatIsTooSmall_isToldWithTheRemedy() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int letter) {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        StringWriter err = new StringWriter();

        assertThat(PlacementCtl.run(new PrintWriter(full, true), new PrintWriter(err), "policy", "list"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("not enough memory", "PLACEMENTCTL_OPTS=-Xmx4g")
                .hasLineCount(1);
    }

    /** Cron and systemd set no locale, and its charset has question marks for all else. */
    @Test
    void json_keepsNamesThatAreNotAscii(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(dir.resolve("policy.yaml"), "policy: größe\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintWriter out = new PrintWriter(new OutputStreamWriter(bytes, StandardCharsets.US_ASCII), true);

        assertThat(PlacementCtl.run(out, out, "policy", "check", file.toString(), "--json"))
                .isEqualTo(1);

        String json = new ObjectMapper().readTree(bytes.toByteArray()).toString();
        assertThat(json).contains("größe");
    }
}
