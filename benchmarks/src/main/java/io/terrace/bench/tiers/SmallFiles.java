package io.terrace.bench.tiers;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Numbered files of one block in a directory, all with the same bytes, and where the NameNode says their replicas are. */
final class SmallFiles {

    private final DistributedFileSystem fs;
    private final Path directory;
    private final short replication;
    private final byte[] bytes;

    SmallFiles(DistributedFileSystem fs, Path directory, int fileBytes, int replication, long seed) {
        this.fs = fs;
        this.directory = directory;
        this.replication = (short) replication;
        this.bytes = new byte[fileBytes];
        new SplittableRandom(seed).nextBytes(bytes);
    }

    Path path(int number) {
        return new Path(directory, "file" + number);
    }

    void store(int number) throws IOException {
        try (FSDataOutputStream out = fs.create(path(number), replication)) {
            out.write(bytes);
        }
    }

    /** Reads the first so many files whole, with the client of this file system. */
    void read(int count) throws IOException {
        byte[] into = new byte[bytes.length];
        for (int i = 0; i < count; i++) {
            try (FSDataInputStream in = fs.open(path(i))) {
                in.readFully(into);
            }
            if (!Arrays.equals(into, bytes)) {
                throw new IOException("wrong bytes in " + path(i));
            }
        }
    }

    /** The storage types of the replicas, in order. */
    List<StorageType> types(int number) throws IOException {
        List<LocatedBlock> blocks = fs.getClient()
                .getLocatedBlocks(path(number).toString(), 0, bytes.length)
                .getLocatedBlocks();
        return Arrays.stream(blocks.get(0).getStorageTypes()).sorted().toList();
    }

    /** Of the first so many files, those with all replicas on this type. */
    int on(StorageType type, int count) throws IOException {
        int on = 0;
        for (int i = 0; i < count; i++) {
            on += on(i, type) ? 1 : 0;
        }
        return on;
    }

    /** Whether all replicas of a file are on this type. */
    boolean on(int number, StorageType type) throws IOException {
        return types(number).stream().allMatch(type::equals);
    }
}
