package io.terrace.bench.writefaults;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.load.SeededContent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class AcknowledgedBytesTest {
    private static final long SEED = 7;

    private final AcknowledgedBytes acknowledged = new AcknowledgedBytes(SEED);

    @Test
    void file_withAllThatWasFlushed_isRight() throws IOException {
        acknowledged.writing(1_000);
        acknowledged.flushed(1_000);
        acknowledged.writing(200_000);
        assertThat(acknowledged.faultOf(file(1_000))).isEmpty();
        assertThat(acknowledged.faultOf(file(70_001))).isEmpty();
        assertThat(acknowledged.faultOf(file(200_000))).isEmpty();
    }

    @Test
    void file_shorterThanTheWriterWasTold_isFound() throws IOException {
        acknowledged.writing(1_000);
        // A client that lies: only 999 bytes are in the DataNodes.
        acknowledged.flushed(1_000);
        assertThat(acknowledged.faultOf(file(999))).contains("1000 bytes were acknowledged, the file has 999");
    }

    @Test
    void file_longerThanWhatWasWritten_isFound() throws IOException {
        acknowledged.writing(1_000);
        assertThat(acknowledged.faultOf(file(1_001)))
                .contains("only these bytes were handed to the stream: 1000, the file has 1001");
    }

    @Test
    void file_closedAtAnotherLength_isFound() throws IOException {
        acknowledged.writing(1_000);
        acknowledged.closed(1_000);
        assertThat(acknowledged.isClosed()).isTrue();
        assertThat(acknowledged.faultOf(file(1_000))).isEmpty();
        assertThat(acknowledged.faultOf(file(1_001))).contains("the file was closed with 1000, the file has 1001");
        assertThat(acknowledged.faultOf(file(0))).contains("1000 bytes were acknowledged, the file has 0");
    }

    @Test
    void file_closedEmpty_mustExist() {
        acknowledged.writing(10);
        assertThat(acknowledged.mustExist()).isFalse();
        acknowledged.closed(0);
        assertThat(acknowledged.mustExist()).isTrue();
    }

    @Test
    void file_thatWasFlushed_mustExist() {
        acknowledged.flushed(1);
        assertThat(acknowledged.mustExist()).isTrue();
    }

    @Test
    void file_withAnotherByte_isFound() throws IOException {
        acknowledged.writing(200_000);
        acknowledged.flushed(10);
        byte[] bytes = bytes(200_000);
        bytes[150_000]++;
        assertThat(acknowledged.faultOf(new ByteArrayInputStream(bytes)))
                .contains("byte 150000 is not what was written");
    }

    private static ByteArrayInputStream file(int length) {
        return new ByteArrayInputStream(bytes(length));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new SeededContent(SEED).fill(0, 0, 0, bytes, length);
        return bytes;
    }
}
