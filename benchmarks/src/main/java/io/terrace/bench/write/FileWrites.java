package io.terrace.bench.write;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes of files, from create to close. Each file is compared and removed after that. */
final class FileWrites implements InterleavedRuns.Probe {
    private static final int CALL_BYTES = 128 << 10;

    private final FileContent content;
    private final FileSystem reader;
    private final int files;
    private final long fileBytes;
    private final int flushedBytes;

    /**
     * Writes of a round.
     *
     * @param reader compares
     * @param flushedBytes so many are flushed at a time; 0 for no flush
     */
    FileWrites(FileContent content, FileSystem reader, int files, long fileBytes, int flushedBytes) {
        this.content = content;
        this.reader = reader;
        this.files = files;
        this.fileBytes = fileBytes;
        this.flushedBytes = flushedBytes;
    }

    /** Nanoseconds per byte, that is seconds per gigabyte. */
    @Override
    public double cost(Client client, int round) throws IOException {
        long startNs = System.nanoTime();
        write(client, round);
        long tookNs = System.nanoTime() - startNs;
        compareAndRemove(client, round);
        return (double) tookNs / (files * fileBytes);
    }

    void write(Client client, int round) throws IOException {
        for (int i = 0; i < files; i++) {
            try (FSDataOutputStream out = client.fs().create(path(client, round, i))) {
                if (flushedBytes == 0) {
                    content.write(out, fileBytes, CALL_BYTES);
                } else {
                    writeFlushed(out);
                }
            }
        }
    }

    private void writeFlushed(FSDataOutputStream out) throws IOException {
        content.write(new FlushingStream(out), fileBytes, flushedBytes);
    }

    void compareAndRemove(Client client, int round) throws IOException {
        for (int i = 0; i < files; i++) {
            Path path = path(client, round, i);
            try (FSDataInputStream in = reader.open(path)) {
                content.requireIn(in, fileBytes);
            }
            if (!reader.delete(path, false)) {
                throw new IOException(path + " is gone");
            }
        }
    }

    long bytesOfRound() {
        return files * fileBytes;
    }

    private static Path path(Client client, int round, int file) {
        return new Path("/bench-write/" + client.name() + "-" + round + "-" + file);
    }
}
