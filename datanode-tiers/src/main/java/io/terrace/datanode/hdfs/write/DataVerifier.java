package io.terrace.datanode.hdfs.write;

import io.terrace.channel.transport.ChunkChecksums;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.NativeCodeLoader;

/** Compares data with its checksums: by libhadoop where it is loaded, else by the JDK. Used by one thread. */
final class DataVerifier {
    private final DataChecksum checksum;
    private final boolean byLibrary = NativeCodeLoader.isNativeCodeLoaded();
    private final Checksum byJdk;

    /** @param checksum CRC32 or CRC32C */
    DataVerifier(DataChecksum checksum) {
        this.checksum = checksum;
        this.byJdk = checksum.getChecksumType() == DataChecksum.Type.CRC32C ? new CRC32C() : new CRC32();
    }

    /**
     * Throws unless they match.
     *
     * @param data direct; not moved
     * @param sums direct; not moved
     */
    void verify(ExtendedBlock block, long offset, ByteBuffer data, ByteBuffer sums) throws ChecksumException {
        if (byLibrary) {
            checksum.verifyChunkedSums(data, sums, block.toString(), offset);
            return;
        }
        int wrongAt = ChunkChecksums.firstWrong(byJdk, checksum.getBytesPerChecksum(), data.duplicate(), sums);
        if (wrongAt >= 0) {
            throw new ChecksumException(
                    "Checksum error: " + block + " at " + (offset + wrongAt), offset + wrongAt);
        }
    }
}
