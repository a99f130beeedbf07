package io.terrace.bench.tiers;

import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.Zipf;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;

/** Stock clients that read whole files, drawn by Zipf's law; which file is how popular is drawn from the seed too. */
final class SkewedReads implements Closeable {

    private final DataSet data;
    private final List<Integer> byRank;
    private final Zipf zipf;
    private final List<Reader> readers = new ArrayList<>();
    private final ExecutorService threads;
    private long wrongBytes;

    /**
     * The reads of some time.
     *
     * @param meanMs of a read
     * @param readsOf each file
     */
    record Outcome(double meanMs, int[] readsOf, long bytes) {}

    private record Part(Outcome outcome, long wrongBytes) {}

    private record Reader(VerifyingClient client, SplittableRandom random) {}

    SkewedReads(Configuration conf, DataSet data, AutoPlan plan, long seed) throws IOException {
        this.data = data;
        this.byRank =
                new ArrayList<>(IntStream.range(0, data.files().size()).boxed().toList());
        Collections.shuffle(byRank, new Random(seed));
        this.zipf = new Zipf(byRank.size(), plan.skew());
        for (int i = 0; i < plan.readers(); i++) {
            VerifyingClient client =
                    new VerifyingClient(ClientVariant.stock().open(conf).fs(), data);
            readers.add(new Reader(client, new SplittableRandom(seed + i)));
        }
        this.threads = Executors.newFixedThreadPool(plan.readers());
    }

    void store() throws IOException {
        for (int file = 0; file < byRank.size(); file++) {
            readers.get(0).client().store(file);
        }
    }

    Outcome read(int count) throws IOException {
        List<Callable<Part>> parts = new ArrayList<>();
        for (Reader reader : readers) {
            parts.add(() -> read(reader, count / readers.size()));
        }
        try {
            double ms = 0;
            int[] readsOf = new int[byRank.size()];
            long bytes = 0;
            for (Future<Part> part : threads.invokeAll(parts)) {
                Outcome outcome = part.get().outcome;
                ms += outcome.meanMs / readers.size();
                bytes += outcome.bytes;
                wrongBytes += part.get().wrongBytes;
                for (int i = 0; i < readsOf.length; i++) {
                    readsOf[i] += outcome.readsOf[i];
                }
            }
            return new Outcome(ms, readsOf, bytes);
        } catch (ExecutionException e) {
            throw new IOException("a reader failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while readers read");
        }
    }

    /** Bytes of all reads so far that differ from what was stored. */
    long wrongBytes() {
        return wrongBytes;
    }

    private Part read(Reader reader, int count) throws IOException {
        int[] readsOf = new int[byRank.size()];
        long ns = 0;
        long bytes = 0;
        long wrong = 0;
        for (int i = 0; i < count; i++) {
            int file = byRank.get(zipf.draw(reader.random));
            VerifyingClient.Outcome outcome =
                    reader.client.read(file, 0, data.files().get(file).lengthBytes());
            readsOf[file]++;
            ns += outcome.latencyNs();
            bytes += outcome.bytes();
            wrong += outcome.wrongBytes();
        }
        return new Part(new Outcome(ns / 1e6 / count, readsOf, bytes), wrong);
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        for (Reader reader : readers) {
            reader.client.close();
        }
    }
}
