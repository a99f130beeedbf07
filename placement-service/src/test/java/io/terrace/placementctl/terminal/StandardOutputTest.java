package io.terrace.placementctl.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandardOutputTest {

    private static StandardOutput failing(String why) {
        return new StandardOutput(
                new OutputStream() {
                    @Override
                    public void write(int letter) throws IOException {
                        throw new IOException(why);
                    }
                },
                StandardCharsets.UTF_8);
    }

    @Test
    void fullDisk_isTold() {
        StandardOutput out = failing("No space left on device");
        out.println("text");
        assertThat(StandardOutput.lost(out)).isEqualTo("the output could not be written: No space left on device");
    }

    @Test
    void readerThatWentAway_isNoFailure() {
        StandardOutput out = failing("Broken pipe");
        out.println("text");
        assertThat(out.checkError()).isTrue();
        assertThat(StandardOutput.lost(out)).isNull();
    }

    @Test
    void text_isWrittenInItsCharset() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StandardOutput out = new StandardOutput(bytes, StandardCharsets.UTF_8);
        out.print("ü");
        assertThat(StandardOutput.lost(out)).isNull();
        assertThat(bytes.toByteArray()).containsExactly(0xc3, 0xbc);
    }
}
