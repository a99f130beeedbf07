package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.LocalCluster;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The process that sends for the DataNodes of a cluster, see {@link SenderMain}. */
final class SenderProcess implements Closeable {

    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    /** Starts it and waits until its DataNodes and their blocks are known. */
    SenderProcess(LocalCluster cluster, int nodes, int files) throws IOException {
        Path logs = cluster.layout().logs();
        Files.createDirectories(logs);
        this.process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.net.preferIPv4Stack=true",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        cluster.layout().confStock() + ":" + System.getProperty("java.class.path"),
                        SenderMain.class.getName(),
                        cluster.layout().dir().toString(),
                        Integer.toString(nodes),
                        Integer.toString(files)))
                .redirectError(logs.resolve("sender.log").toFile())
                .start();
        this.commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        answer();
    }

    /**
     * @param processors what is to be burnt besides what sending takes, as {@link MovingDataNodes.Sent#processors}
     * @param hurry how many times as much is sent
     */
    void resume(double processors, int hurry) throws IOException {
        tell(String.format(Locale.ROOT, "%s %.6f %d", SenderMain.RESUME, processors, hurry));
    }

    /** Nothing is sent any more. */
    MovingDataNodes.Sent pause() throws IOException {
        return tell(SenderMain.PAUSE);
    }

    private MovingDataNodes.Sent tell(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
        return answer();
    }

    private MovingDataNodes.Sent answer() throws IOException {
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals(SenderMain.ANSWER)) {
                return new MovingDataNodes.Sent(Long.parseLong(words[1]), Double.parseDouble(words[2]));
            }
        }
        throw new IOException("the process that sends for DataNodes has ended; its log is sender.log of the cluster");
    }

    @Override
    public void close() throws IOException {
        commands.close();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}
