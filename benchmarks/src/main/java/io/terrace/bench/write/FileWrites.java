package io.terrace.bench.write;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes of files, from create to close. Each file is compared and removed after that. */
final class FileWrites implements InterleavedRuns.Probe {
    private static final int CALL_BYTES = 128 << 10;

    private final FileContent content;
    private final FileSystem reader;
    private final int files;
    private final long fileBytes;
    private final int threads;
    private final StoredReplicas replicas;

    /**
     * Writes of a round.
     *
     * @param reader compares
     * @param threads that write at one time, each its part of the files
     * @param replicas must be gone when a round ends
     */
    FileWrites(
            FileContent content, FileSystem reader, int files, long fileBytes, int threads, StoredReplicas replicas) {
        this.content = content;
        this.reader = reader;
        this.files = files;
        this.fileBytes = fileBytes;
        this.threads = threads;
        this.replicas = replicas;
    }

    /** Nanoseconds per byte, that is seconds per gigabyte. */
    @Override
    public double cost(Client client, int round) throws IOException {
        long startNs = System.nanoTime();
        write(client, round);
        long tookNs = System.nanoTime() - startNs;
        compareAndRemove(client, round);
        return (double) tookNs / (files * fileBytes);
    }

    void write(Client client, int round) throws IOException {
        if (threads == 1) {
            write(client, round, 0);
            return;
        }
        ExecutorService writers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                parts.add(writers.submit(() -> {
                    write(client, round, first);
                    return null;
                }));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a writer failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            writers.shutdownNow();
        }
    }

    private void write(Client client, int round, int first) throws IOException {
        for (int i = first; i < files; i += threads) {
            try (FSDataOutputStream out = client.fs().create(path(client, round, i))) {
                content.write(out, 0, fileBytes, CALL_BYTES);
            }
        }
    }

    void compareAndRemove(Client client, int round) throws IOException {
        for (int i = 0; i < files; i++) {
            Path path = path(client, round, i);
            try (FSDataInputStream in = reader.open(path)) {
                content.requireIn(in, fileBytes);
            }
            if (!reader.delete(path, false)) {
                throw new IOException(path + " is gone");
            }
        }
        replicas.awaitGone();
    }

    long bytesOfRound() {
        return files * fileBytes;
    }

    private static Path path(Client client, int round, int file) {
        return new Path("/bench-write/" + client.name() + "-" + round + "-" + file);
    }
}
