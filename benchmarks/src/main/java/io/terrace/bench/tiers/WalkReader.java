package io.terrace.bench.tiers;

import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileSystem;

/** Reads whole files at random and compares every byte, on a thread of its own, until it is told to stop. */
final class WalkReader {

    private final VerifyingClient client;
    private final DataSet data;
    private final SplittableRandom random;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread;
    private long reads;
    private long grantedBytes;
    private long wrongBytes;
    private long errors;
    private String firstError = "";

    /** @param fs closed with this reader */
    WalkReader(String name, FileSystem fs, DataSet data, long seed) {
        this.client = new VerifyingClient(fs, data);
        this.data = data;
        this.random = new SplittableRandom(seed);
        this.thread = new Thread(this::run, "walk-" + name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!stopped.get()) {
            int file = random.nextInt(data.files().size());
            try {
                VerifyingClient.Outcome outcome =
                        client.read(file, 0, data.files().get(file).lengthBytes());
                reads++;
                grantedBytes += outcome.memoryBytes();
                wrongBytes += outcome.wrongBytes();
            } catch (IOException | RuntimeException e) {
                errors++;
                firstError = firstError.isEmpty() ? e.toString() : firstError;
            }
        }
    }

    /** Ends the thread; what it counted may be asked for afterwards. */
    void stop() throws IOException {
        stopped.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a reader ends");
        }
        client.close();
    }

    long reads() {
        return reads;
    }

    /** Bytes that came short-circuit or through a grant. */
    long grantedBytes() {
        return grantedBytes;
    }

    long wrongBytes() {
        return wrongBytes;
    }

    long errors() {
        return errors;
    }

    String firstError() {
        return firstError;
    }
}
