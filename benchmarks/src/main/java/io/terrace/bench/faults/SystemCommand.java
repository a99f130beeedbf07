package io.terrace.bench.faults;

import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;

/** A program of the system that ends soon. */
public final class SystemCommand {
    private SystemCommand() {}

    /** Runs it, without its output. */
    public static boolean succeeds(String... words) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException notThere) {
            return false;
        }
        try {
            return process.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        }
    }

    /**
     * Sends a signal. A process that has ended meanwhile gets none, which is no failure.
     *
     * @param signal its name, without SIG
     */
    public static void signal(ProcessHandle process, String signal) throws IOException {
        if (!succeeds("kill", "-" + signal, Long.toString(process.pid())) && process.isAlive()) {
            throw new IOException("process " + process.pid() + " did not get signal " + signal);
        }
    }
}
