package io.terrace.datanode.hdfs.write;

import io.terrace.channel.write.WriteData;
import io.terrace.datanode.write.WrittenFiles;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.TerraceFileIo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.util.DataChecksum;

/**
 * The block file and the meta file of a replica that is being written: at given places, data before checksums. Used by one
 * thread.
 *
 * <p>An interrupt closes a channel in the middle of a write. Recovery refuses a replica whose files are longer than the
 * replica, so {@link #restore} cuts them back.
 */
final class ReplicaFiles implements Closeable {
    private final ReplicaInPipeline replica;
    private final ReplicaOutputStreams streams;
    private final TerraceFileIo io;
    private final int chunkBytes;
    private final FileChannel data;
    private final FileChannel sums;
    private boolean torn;

    private ReplicaFiles(
            ReplicaInPipeline replica,
            ReplicaOutputStreams streams,
            int chunkBytes,
            FileOutputStream data,
            FileOutputStream sums) {
        this.replica = replica;
        this.streams = streams;
        this.io = new TerraceFileIo(replica);
        this.chunkBytes = chunkBytes;
        this.data = data.getChannel();
        this.sums = sums.getChannel();
    }

    /**
     * Opens the files of a replica.
     *
     * @param isNew whether they are to be made
     */
    static ReplicaFiles open(ReplicaInPipeline replica, boolean isNew, DataChecksum checksum) throws IOException {
        ReplicaOutputStreams streams = replica.createStreams(isNew, checksum);
        boolean made = false;
        try {
            if (!(streams.getDataOut() instanceof FileOutputStream data)
                    || !(streams.getChecksumOut() instanceof FileOutputStream sums)) {
                throw new WriteRequest.UnsupportedException("a replica that is not in files: " + replica);
            }
            if (isNew) {
                BlockMetadataHeader.writeHeader(new DataOutputStream(sums), checksum);
            } else if (streams.getChecksum().getChecksumType() != checksum.getChecksumType()) {
                // Stock computes the checksums anew.
                throw new WriteRequest.UnsupportedException("a replica with " + streams.getChecksum());
            }
            ReplicaFiles files = new ReplicaFiles(replica, streams, checksum.getBytesPerChecksum(), data, sums);
            made = true;
            return files;
        } finally {
            if (!made) {
                streams.close();
            }
        }
    }

    ReplicaOutputStreams streams() {
        return streams;
    }

    /** For one who reads what is written. */
    WrittenFiles forReading() throws IOException {
        return new WrittenFiles(
                Path.of(replica.getReplicaInfo().getBlockURI()),
                Path.of(replica.getReplicaInfo().getMetadataURI()),
                BlockMetadataHeader.getHeaderSize(),
                chunkBytes);
    }

    /** The checksum of the last chunk of so many bytes. */
    byte[] readLastSum(long lengthBytes) throws IOException {
        byte[] sum = new byte[WriteData.SUM_BYTES];
        if (lengthBytes > 0) {
            try (RandomAccessFile metaFile =
                    new RandomAccessFile(new File(replica.getReplicaInfo().getMetadataURI()), "r")) {
                metaFile.seek(sumsAt(lengthBytes - 1));
                metaFile.readFully(sum);
            }
        }
        return sum;
    }

    /**
     * Writes data and its checksums.
     *
     * @param offset of a chunk's first byte
     */
    void write(long offset, ByteBuffer from, ByteBuffer checksums) throws IOException {
        torn = true;
        writeAll(data, from, offset);
        writeAll(sums, checksums, sumsAt(offset));
        io.flushed();
        torn = false;
    }

    /**
     * Makes the files those of a replica of this length, if the last write did not come to its end.
     *
     * @param lastSum the checksum of its last chunk
     */
    void restore(long lengthBytes, byte[] lastSum) throws IOException {
        if (!torn) {
            return;
        }
        try (RandomAccessFile blockFile = open(replica.getReplicaInfo().getBlockURI());
                RandomAccessFile metaFile = open(replica.getReplicaInfo().getMetadataURI())) {
            blockFile.setLength(lengthBytes);
            long end = sumsAt(lengthBytes + chunkBytes - 1);
            metaFile.setLength(end);
            if (lengthBytes % chunkBytes != 0) {
                metaFile.seek(end - WriteData.SUM_BYTES);
                metaFile.write(lastSum);
            }
        }
        torn = false;
    }

    /** Closes both; what the operating system has to say about that is an exception. */
    void finish() throws IOException {
        streams.getChecksumOut().close();
        streams.closeDataStream();
    }

    @Override
    public void close() {
        streams.close();
    }

    private long sumsAt(long offset) {
        return BlockMetadataHeader.getHeaderSize() + offset / chunkBytes * WriteData.SUM_BYTES;
    }

    private void writeAll(FileChannel to, ByteBuffer from, long offset) throws IOException {
        int bytes = from.remaining();
        long began = io.begin(bytes);
        boolean written = false;
        try {
            long at = offset;
            while (from.hasRemaining()) {
                at += to.write(from, at);
            }
            written = true;
        } finally {
            if (written) {
                io.wrote(began, bytes);
            } else {
                io.failed(began);
            }
        }
    }

    private static RandomAccessFile open(URI file) throws IOException {
        return new RandomAccessFile(new File(file), "rw");
    }
}
