package io.terrace.bench.host;

import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * How a program of this host ended.
 *
 * @param exitCode its exit code
 * @param said what it wrote, errors too
 */
record Program(int exitCode, String said) {

    /**
     * Runs it to its end.
     *
     * @param variables of its environment, over this process's
     */
    static Program run(Map<String, String> variables, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(variables);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new ClusterException(
                    command.get(0) + " cannot be run: install it (Debian: apt-get install "
                            + "systemd shellcheck util-linux)",
                    e);
        }
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Program(process.waitFor(), said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new ClusterException("interrupted while " + command.get(0) + " ran", e);
        }
    }
}
