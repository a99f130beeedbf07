package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each look at the clock finds it a microsecond later, so each read takes one. */
class CountedStreamTest {

    @TempDir
    Path dir;

    private final AtomicLong clock = new AtomicLong();
    private long bytes = -1;
    private long readNs = -1;
    private int closings;
    private CountedStream stream;

    @BeforeEach
    void open() throws Exception {
        Path file = Files.write(dir.resolve("blk"), new byte[1000]);
        stream = CountedStream.of(
                new FileInputStream(file.toFile()), () -> clock.getAndAdd(1_000), (counted, tookNs) -> {
                    bytes = counted;
                    readNs = tookNs;
                    closings++;
                });
    }

    @Test
    void reads_ofAllKinds_areCountedAndTimed() throws Exception {
        assertThat(stream.read()).isZero();
        assertThat(stream.read(new byte[100])).isEqualTo(100);
        assertThat(stream.getChannel().read(ByteBuffer.allocate(50))).isEqualTo(50);
        assertThat(stream.getChannel().read(ByteBuffer.allocate(50), 900)).isEqualTo(50);
        assertThat(stream.getChannel().read(new ByteBuffer[] {ByteBuffer.allocate(9)}))
                .isEqualTo(9);
        assertThat(stream.getChannel().transferTo(0, 200, Channels.newChannel(new ByteArrayOutputStream())))
                .isEqualTo(200);
        stream.close();
        assertThat(bytes).isEqualTo(1 + 100 + 50 + 50 + 9 + 200);
        assertThat(readNs).isEqualTo(6_000);
    }

    @Test
    void timeBetweenReads_isNotCounted_norBytesBehindTheEnd() throws Exception {
        assertThat(stream.read(new byte[2000])).isEqualTo(1000);
        clock.addAndGet(1_000_000_000);
        assertThat(stream.read(new byte[10])).isEqualTo(-1);
        assertThat(stream.read()).isEqualTo(-1);
        stream.close();
        stream.close();
        assertThat(bytes).isEqualTo(1000);
        assertThat(readNs).isEqualTo(3_000);
        assertThat(closings).isEqualTo(1);
    }
}
