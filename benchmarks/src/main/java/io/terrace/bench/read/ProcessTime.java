package io.terrace.bench.read;

import io.terrace.bench.cluster.Daemon;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/**
 * Processor time of a daemon, user and system, as the kernel accounts it ({@code /proc/PID/stat}; 10 ms fine). Whatever
 * the daemon does besides is counted with it, on both sides.
 */
final class ProcessTime {
    private static final int BUFFER_BYTES = 1 << 20;

    /** The resolution of the account; less was used, but not nothing. */
    private static final Duration TICK = Duration.ofMillis(10);

    private final Daemon daemon;

    ProcessTime(Daemon daemon) {
        this.daemon = daemon;
    }

    /** Seconds of the daemon's processor time for each gigabyte (10^9 bytes) that the contender reads of the file. */
    double secondsPerGigabyte(Path file, Contender contender, long fileBytes, long totalBytes) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (FSDataInputStream in = contender.fs().open(file)) {
            readOnce(in, fileBytes, buffer);
            Duration before = now();
            long done = 0;
            while (done < totalBytes) {
                readOnce(in, fileBytes, buffer);
                done += fileBytes;
            }
            Duration used = now().minus(before);
            Duration counted = used.compareTo(TICK) < 0 ? TICK : used;
            return counted.toNanos() / 1e9 / (done / 1e9);
        }
    }

    private static void readOnce(FSDataInputStream in, long fileBytes, byte[] buffer) throws IOException {
        in.seek(0);
        for (long left = fileBytes; left > 0; left -= buffer.length) {
            in.readFully(buffer, 0, (int) Math.min(buffer.length, left));
        }
    }

    private Duration now() throws IOException {
        return daemon.process()
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IOException("the " + daemon.name() + " does not run"));
    }
}
