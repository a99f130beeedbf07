package io.terrace.bench.write;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * What the files of the benchmark have in them: a piece of random bytes again and again, as making bytes would take longer
 * than to write them. The piece's length is a prime, so that no two chunks or blocks of a file are alike.
 */
final class FileContent {
    private static final int PERIOD = 8_388_593;
    private static final int READ_BYTES = 1 << 20;

    private final byte[] piece = new byte[PERIOD];

    FileContent(long seed) {
        new SeededContent(seed).fill(0, 0, 0, piece, PERIOD);
    }

    /** Writes what a file has between two places, in calls of at most so many bytes. */
    void write(OutputStream out, long start, long end, int callBytes) throws IOException {
        long at = start;
        while (at < end) {
            int from = (int) (at % PERIOD);
            int count = (int) Math.min(Math.min(callBytes, PERIOD - from), end - at);
            out.write(piece, from, count);
            at += count;
        }
    }

    /**
     * Reads a file to its end.
     *
     * @throws IOException when it is not what {@link #write} wrote
     */
    void requireIn(InputStream in, long bytes) throws IOException {
        requireIn(in, 0, bytes);
    }

    /**
     * Reads to the end.
     *
     * @throws IOException when it is not what {@link #write} wrote between two places
     */
    void requireIn(InputStream in, long start, long end) throws IOException {
        byte[] read = new byte[READ_BYTES];
        long at = start;
        for (int got = in.read(read); got >= 0; got = in.read(read)) {
            for (int done = 0; done < got; ) {
                int from = (int) ((at + done) % PERIOD);
                int count = Math.min(got - done, PERIOD - from);
                if (!Arrays.equals(read, done, done + count, piece, from, from + count)) {
                    throw new IOException("the file differs between " + (at + done) + " and " + (at + done + count));
                }
                done += count;
            }
            at += got;
        }
        if (at != end) {
            throw new IOException("there are " + (at - start) + " bytes, not " + (end - start));
        }
    }
}
