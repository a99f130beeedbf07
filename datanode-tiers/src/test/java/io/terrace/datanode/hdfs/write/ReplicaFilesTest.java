package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hdfs.server.datanode.LocalReplicaInPipeline;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplicaFilesTest {
    private static final int CHUNK = 512;
    private static final int HEADER = 7;
    private static final int FIRST = 1_000;
    private static final DataChecksum CHECKSUM = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);

    @TempDir
    Path dir;

    private LocalReplicaInPipeline replica;
    private ReplicaFiles files;
    private byte[] contents;

    @BeforeEach
    void create() throws IOException {
        replica = new LocalReplicaInPipeline(17, 1001, null, dir.toFile(), 0);
        Files.createFile(replica.getBlockFile().toPath());
        Files.createFile(replica.getMetaFile().toPath());
        files = ReplicaFiles.open(replica, true, CHECKSUM);
        contents = new byte[4_000];
        new Random(1).nextBytes(contents);
        write(0, FIRST);
    }

    private void write(int from, int to) throws IOException {
        files.write(from, ByteBuffer.wrap(contents, from, to - from).slice(), ByteBuffer.wrap(sums(from, to)));
    }

    private byte[] sums(int from, int to) {
        ByteBuffer sums = ByteBuffer.allocate(CHECKSUM.getChecksumSize(to - from));
        CHECKSUM.calculateChunkedSums(ByteBuffer.wrap(contents, from, to - from).slice(), sums);
        return sums.array();
    }

    private void assertHolds(int bytes) throws IOException {
        assertThat(Files.readAllBytes(replica.getBlockFile().toPath())).isEqualTo(Arrays.copyOf(contents, bytes));
        byte[] meta = Files.readAllBytes(replica.getMetaFile().toPath());
        assertThat(Arrays.copyOfRange(meta, HEADER, meta.length)).isEqualTo(sums(0, bytes));
    }

    private byte[] lastSum() {
        byte[] sums = sums(0, FIRST);
        return Arrays.copyOfRange(sums, sums.length - 4, sums.length);
    }

    @Test
    void write_fromAChunkWithin_replacesItsChecksum() throws Exception {
        write(CHUNK, 3_000);
        files.finish();
        assertHolds(3_000);
    }

    @Test
    void restore_afterDataWithoutChecksums_cutsTheData() throws Exception {
        files.streams().getChecksumOut().close();
        assertThatThrownBy(() -> write(CHUNK, 3_000)).isInstanceOf(ClosedChannelException.class);
        files.close();
        assertThat(replica.getBlockFile().length()).isEqualTo(3_000);
        files.restore(FIRST, lastSum());
        assertHolds(FIRST);
    }

    /** The exception may come after the bytes of the last call. */
    @Test
    void restore_afterAllWasWritten_cutsBothFiles() throws Exception {
        files.write(CHUNK, ByteBuffer.wrap(contents, CHUNK, 2_488).slice(), ByteBuffer.wrap(sums(CHUNK, 3_000)));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> write(CHUNK, 4_000)).isInstanceOf(ClosedByInterruptException.class);
        files.close();
        files.restore(FIRST, lastSum());
        assertThat(Thread.interrupted()).isTrue();
        assertHolds(FIRST);
    }

    @Test
    void restore_afterWholeWrites_changesNothing() throws Exception {
        write(CHUNK, 3_000);
        files.close();
        files.restore(FIRST, lastSum());
        assertHolds(3_000);
    }
}
