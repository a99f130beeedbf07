package io.terrace.bench.writefaults;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a writer was promised: bytes up to the last flush or close that returned must be in the file, and nothing that
 * was never written may be. Not thread-safe.
 */
final class AcknowledgedBytes {
    private static final int READ_BYTES = 64 << 10;

    private final SeededContent content;
    private long writtenBytes;
    private long acknowledgedBytes;
    private boolean closed;

    /** @param seed of the file's content */
    AcknowledgedBytes(long seed) {
        this.content = new SeededContent(seed);
    }

    /** The writer is about to hand over bytes: from now on the file may have so many in all. */
    void writing(long end) {
        writtenBytes = Math.max(writtenBytes, end);
    }

    /** A flush has returned. */
    void flushed(long end) {
        acknowledgedBytes = Math.max(acknowledgedBytes, end);
    }

    /** The close has returned: the file has exactly these bytes. */
    void closed(long end) {
        flushed(end);
        writtenBytes = end;
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether the file must be there, be it empty. */
    boolean mustExist() {
        return closed || acknowledgedBytes > 0;
    }

    long acknowledgedBytes() {
        return acknowledgedBytes;
    }

    /** Reads a file or a part of it to the end, and says what is wrong with it; empty if nothing is. */
    Optional<String> faultOf(InputStream file) throws IOException {
        byte[] read = new byte[READ_BYTES];
        byte[] expected = new byte[READ_BYTES];
        long at = 0;
        for (int got = file.read(read); got >= 0; got = file.read(read)) {
            content.fill(0, 0, at, expected, got);
            int differs = Arrays.mismatch(read, 0, got, expected, 0, got);
            if (differs >= 0) {
                return Optional.of("byte " + (at + differs) + " is not what was written");
            }
            at += got;
        }
        return faultOfLength(at);
    }

    private Optional<String> faultOfLength(long bytes) {
        if (bytes < acknowledgedBytes) {
            return Optional.of(acknowledgedBytes + " bytes were acknowledged, the file has " + bytes);
        }
        if (bytes > writtenBytes) {
            return Optional.of((closed ? "the file was closed with " : "only these bytes were handed to the stream: ")
                    + writtenBytes + ", the file has " + bytes);
        }
        return Optional.empty();
    }
}
