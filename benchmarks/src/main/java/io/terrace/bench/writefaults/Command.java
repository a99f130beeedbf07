package io.terrace.bench.writefaults;

import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;

/** A program of the system that ends soon. */
final class Command {
    private Command() {}

    /** Runs it, without its output. */
    static boolean succeeds(String... words) throws IOException {
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

    /** @param signal its name, without SIG */
    static void signal(ProcessHandle process, String signal) throws IOException {
        succeeds("kill", "-" + signal, Long.toString(process.pid()));
    }
}
