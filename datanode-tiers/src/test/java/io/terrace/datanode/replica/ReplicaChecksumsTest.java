package io.terrace.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaChecksumsTest {
    private static final int CRC32C = 2;
    private static final long MUCH = 1L << 40;

    private static @Nullable ChunkChecksums read(int chunkBytes, byte[] sums, long lengthBytes, long mostBytes)
            throws IOException {
        byte[] meta = ByteBuffer.allocate(7 + sums.length)
                .putShort((short) 1)
                .put((byte) CRC32C)
                .putInt(chunkBytes)
                .put(sums)
                .array();
        return ReplicaChecksums.read(
                Channels.newChannel(new ByteArrayInputStream(meta)), lengthBytes, bytes -> bytes <= mostBytes);
    }

    @Test
    void checksums_areReadAsTheyStandInTheFile() throws IOException {
        byte[] sums = {1, 2, 3, 4, 5, 6, 7, 8};
        assertThat(read(512, sums, 513, sums.length)).isEqualTo(new ChunkChecksums(ChecksumType.CRC32C, 512, sums));
        assertThatThrownBy(() -> read(512, sums, 1025, MUCH)).isInstanceOf(EOFException.class);
    }

    /** The largest block that HDFS has by its limits, with chunks of one byte: 16 GB of checksums, by its header. */
    @Test
    void checksums_ofMoreThanThereIsRoomFor_areRefusedByTheirHeader() throws IOException {
        assertThat(read(1, new byte[0], 4L << 30, 1 << 28)).isNull();
        assertThat(read(1, new byte[0], 4L << 30, MUCH)).isNull();
        assertThat(read(512, new byte[8], 513, 7)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, ChunkChecksums.MAX_CHUNK_BYTES + 1, 4 << 20, Integer.MAX_VALUE})
    void chunks_thatNoReaderTakes_areAnExpectedFault_forClientsAndForCopies(int chunkBytes) {
        assertThatThrownBy(() -> read(chunkBytes, new byte[4], 1, MUCH)).isInstanceOf(IOException.class);
        byte[] meta = ByteBuffer.allocate(11)
                .putShort((short) 1)
                .put((byte) CRC32C)
                .putInt(chunkBytes)
                .array();
        assertThatThrownBy(() -> new MetaFileChecksums(
                        Channels.newChannel(new ByteArrayInputStream(meta)), ByteBuffer.allocate(64)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CorruptReplicaException.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "0, 2", "1, 0", "1, 3"})
    void versionOrType_thatIsUnknown_isNoCorruption(int version, int type) {
        byte[] meta = ByteBuffer.allocate(11)
                .putShort((short) version)
                .put((byte) type)
                .putInt(512)
                .array();
        assertThatThrownBy(() -> MetaHeader.read(Channels.newChannel(new ByteArrayInputStream(meta))))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CorruptReplicaException.class);
    }

    @Test
    void largestChunk_isTakenByBoth() throws IOException {
        assertThat(read(ChunkChecksums.MAX_CHUNK_BYTES, new byte[4], 1, MUCH)).isNotNull();
    }
}
