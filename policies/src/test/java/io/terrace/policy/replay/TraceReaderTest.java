package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceReaderTest {

    private static final String HEADER = TraceFormat.HEADER + "\n";

    @TempDir
    Path dir;

    private static Trace read(String rows) throws IOException {
        return TraceReader.read("t", new StringReader(HEADER + rows));
    }

    private static void assertRefused(String rows, int line, String what) {
        assertThatThrownBy(() -> read(rows))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageContaining("line " + line)
                .hasMessageContaining(what);
    }

    @Test
    void read_moreRowsThanAreTaken_isRefusedWithTheLimit() throws IOException {
        Path file = Files.writeString(dir.resolve("long.csv"), HEADER + "0,a,10,R,20,\n1,a,10,R,20,\n2,a,10,R,20,\n");
        assertThat(TraceReader.read(file, 3).rows()).isEqualTo(3);
        assertThatThrownBy(() -> TraceReader.read(file, 2))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageContaining("more than 2 accesses");
    }

    @Test
    void read_goodRows_keepsThem() throws IOException {
        Trace trace = read("0,a,10,R,20,j1\n0.5,b,30,W,30,\n2,a,99,R,20,j2\n");
        assertThat(trace.rows()).isEqualTo(3);
        assertThat(trace.objects()).isEqualTo(2);
        assertThat(trace.jobs()).isEqualTo(2);
        assertThat(trace.timeMs(1)).isEqualTo(500);
        assertThat(trace.isWrite(1)).isTrue();
        assertThat(trace.job(1)).isEqualTo(-1);
        assertThat(trace.bytes(2)).as("no more than the object has").isEqualTo(20);
        assertThat(trace.footprintBytes()).isEqualTo(50);
        assertThat(trace.readFootprintBytes()).isEqualTo(20);
    }

    @Test
    void read_badRows_areRefusedWithTheirLine() {
        assertRefused("0,a,1,R,1,\n1,b,1,R\n", 3, "6 columns");
        assertRefused("0,a,1,R,1,,7\n", 2, "6 columns");
        assertRefused("x,a,1,R,1,\n", 2, "time_s 'x'");
        assertRefused("-1,a,1,R,1,\n", 2, "time_s '-1'");
        assertRefused("NaN,a,1,R,1,\n", 2, "time_s 'NaN'");
        assertRefused("0,,1,R,1,\n", 2, "object_id");
        assertRefused("0,a,1.5,R,1,\n", 2, "bytes '1.5'");
        assertRefused("0,a,1,X,1,\n", 2, "op 'X'");
        assertRefused("0,a,1,R,-4,\n", 2, "obj_size '-4'");
    }

    @Test
    void read_unsorted_isRefusedWithItsLine() {
        assertRefused("5,a,1,R,1,\n4,a,1,R,1,\n", 3, "goes back");
    }

    @Test
    void read_empty_isRefused() {
        assertThatThrownBy(() -> TraceReader.read("t", new StringReader("")))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageContaining("empty");
        assertRefused("", 1, "no access");
        assertThatThrownBy(() -> TraceReader.read("t", new StringReader("a,b\n1,2\n")))
                .hasMessageContaining("header");
    }

    @Test
    void read_gzipCutShort_isRefused() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write((HEADER + "0,a,1,R,1,\n".repeat(5000)).getBytes(StandardCharsets.UTF_8));
        }
        Path whole = dir.resolve("whole.csv.gz");
        Files.write(whole, packed.toByteArray());
        Trace trace = TraceReader.read(whole);
        assertThat(trace.rows()).isEqualTo(5000);
        assertThat(trace.name()).isEqualTo("whole");
        Path cut = dir.resolve("cut.csv.gz");
        Files.write(cut, Arrays.copyOf(packed.toByteArray(), packed.size() / 2));
        assertThatThrownBy(() -> TraceReader.read(cut))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageContaining("gzip");
    }

    @Test
    void inBlocks_prefixRead_touchesItsBlocksOnly() throws IOException {
        Trace blocks = read("0,a,250,R,400,j\n1,a,90,R,400,j\n").inBlocks(100);
        assertThat(blocks.rows()).isEqualTo(4);
        assertThat(blocks.objects()).isEqualTo(3);
        assertThat(blocks.bytes(2)).isEqualTo(50);
        assertThat(blocks.size(2)).isEqualTo(100);
        assertThat(blocks.object(3)).isEqualTo(blocks.object(0));
    }
}
