package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/** Reads of a whole file from open to close, a buffer at a time. */
public final class SequentialReads implements InterleavedRuns.Probe {
    private final List<Path> files;
    private final long fileBytes;
    private final byte[] buffer;

    /** @param files one for each round, from the first again after the last */
    public SequentialReads(List<Path> files, long fileBytes, int bufferBytes) {
        this.files = files;
        this.fileBytes = fileBytes;
        this.buffer = new byte[bufferBytes];
    }

    /** Nanoseconds per byte, that is seconds per gigabyte. */
    @Override
    public double cost(Client client, int round) throws IOException {
        long startNs = System.nanoTime();
        read(client, files.get(round % files.size()));
        return (double) (System.nanoTime() - startNs) / fileBytes;
    }

    private void read(Client client, Path file) throws IOException {
        try (FSDataInputStream in = client.fs().open(file)) {
            long left = fileBytes;
            while (left > 0) {
                int got = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (got < 0) {
                    throw new EOFException(file + " ended " + left + " bytes early");
                }
                left -= got;
            }
        }
    }
}
