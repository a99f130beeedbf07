package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

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
}
