package io.terrace.bench.measure;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.measure.ClientVariant.Client;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/**
 * Processor time of a process, user and system, from {@code /proc/PID/stat} (10 ms resolution). It includes all other
 * work of the process, on both sides.
 */
public final class ProcessTime {
    /** The work whose processor time is measured. */
    public interface Work {
        void run() throws IOException;
    }

    private static final int BUFFER_BYTES = 1 << 20;

    /** The resolution of the accounting; a smaller result means between zero and this. */
    private static final Duration TICK = Duration.ofMillis(10);

    /** Finds the process, if it runs. */
    public interface Running {
        Optional<ProcessHandle> process() throws IOException;
    }

    private final String name;
    private final Running running;

    public ProcessTime(Daemon daemon) {
        this(daemon.name(), daemon::process);
    }

    /** @param name for messages */
    public ProcessTime(String name, Running running) {
        this.name = name;
        this.running = running;
    }

    /** Seconds of the daemon's processor time for each gigabyte (10^9 bytes) that the client reads of the file. */
    public double secondsPerGigabyte(Path file, Client client, long fileBytes, long totalBytes) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (FSDataInputStream in = client.fs().open(file)) {
            readOnce(in, fileBytes, buffer);
            long times = (totalBytes + fileBytes - 1) / fileBytes;
            double seconds = secondsDuring(() -> {
                for (long i = 0; i < times; i++) {
                    readOnce(in, fileBytes, buffer);
                }
            });
            return seconds / (times * fileBytes / 1e9);
        }
    }

    /** Seconds of the process's time while something is done. */
    public double secondsDuring(Work work) throws IOException {
        return secondsDuring(List.of(this), work);
    }

    /** Seconds of the time of several processes together while something is done. */
    public static double secondsDuring(List<ProcessTime> all, Work work) throws IOException {
        Duration[] before = new Duration[all.size()];
        for (int i = 0; i < before.length; i++) {
            before[i] = all.get(i).now();
        }
        work.run();
        Duration used = Duration.ZERO;
        for (int i = 0; i < before.length; i++) {
            used = used.plus(all.get(i).now().minus(before[i]));
        }
        return seconds(used);
    }

    private static double seconds(Duration used) {
        return (used.compareTo(TICK) < 0 ? TICK : used).toNanos() / 1e9;
    }

    private static void readOnce(FSDataInputStream in, long fileBytes, byte[] buffer) throws IOException {
        in.seek(0);
        for (long left = fileBytes; left > 0; left -= buffer.length) {
            in.readFully(buffer, 0, (int) Math.min(buffer.length, left));
        }
    }

    private Duration now() throws IOException {
        return running.process()
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IOException("the " + name + " does not run"));
    }
}
