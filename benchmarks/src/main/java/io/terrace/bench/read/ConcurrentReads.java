package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.PairedRatios;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/** Positional reads at random of one file by several readers at a time, each with a stream of its own. */
final class ConcurrentReads implements InterleavedRuns.Probe, Closeable {
    private static final double TAIL = 0.99;

    private final Path file;
    private final long pieces;
    private final int readBytes;
    private final int readsPerReader;
    private final int readers;
    private final ExecutorService threads;
    private final Map<String, List<FSDataInputStream>> streams = new HashMap<>();
    private final Map<String, List<Double>> tails = new HashMap<>();

    /** @param readsPerRound shared by all readers, so that a round is as long for few as for many */
    ConcurrentReads(Path file, long fileBytes, int readBytes, int readers, int readsPerRound) {
        this.file = file;
        this.pieces = fileBytes / readBytes;
        this.readBytes = readBytes;
        this.readers = readers;
        this.readsPerReader = Math.max(1, readsPerRound / readers);
        this.threads = Executors.newFixedThreadPool(readers, work -> {
            Thread thread = new Thread(work, "bench-reader");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Nanoseconds of the round per read: the inverse of throughput. */
    @Override
    public double cost(Client client, int round) throws IOException {
        List<FSDataInputStream> own = streams.get(client.name());
        if (own == null) {
            own = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                own.add(client.fs().open(file));
            }
            streams.put(client.name(), own);
        }
        List<Callable<long[]>> work = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            FSDataInputStream in = own.get(i);
            long seed = (long) round * readers + i;
            work.add(() -> read(in, new SplittableRandom(seed)));
        }
        long startNs = System.nanoTime();
        long[] latencyNs = run(work);
        double elapsedNs = System.nanoTime() - startNs;
        Arrays.sort(latencyNs);
        tails.computeIfAbsent(client.name(), name -> new ArrayList<>())
                .add((double) latencyNs[(int) (TAIL * latencyNs.length)]);
        return elapsedNs / latencyNs.length;
    }

    /** The 99th percentile of a read's time in each round, without the warm-up rounds. */
    PairedRatios tailRatios(String baseline, String ours, int warmUps) {
        return new PairedRatios(tails(baseline, warmUps), tails(ours, warmUps));
    }

    private double[] tails(String name, int warmUps) {
        List<Double> all = tails.getOrDefault(name, List.of());
        return all.stream()
                .skip(Math.min(warmUps, all.size()))
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private long[] read(FSDataInputStream in, SplittableRandom random) throws IOException {
        byte[] buffer = new byte[readBytes];
        long[] latencyNs = new long[readsPerReader];
        for (int i = 0; i < readsPerReader; i++) {
            long position = random.nextLong(pieces) * readBytes;
            long startNs = System.nanoTime();
            in.readFully(position, buffer, 0, readBytes);
            latencyNs[i] = System.nanoTime() - startNs;
        }
        return latencyNs;
    }

    private long[] run(List<Callable<long[]>> work) throws IOException {
        long[] all = new long[readers * readsPerReader];
        try {
            int at = 0;
            for (Future<long[]> one : threads.invokeAll(work)) {
                long[] latencyNs = one.get();
                System.arraycopy(latencyNs, 0, all, at, latencyNs.length);
                at += latencyNs.length;
            }
            return all;
        } catch (ExecutionException e) {
            throw new IOException("a reader failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        for (List<FSDataInputStream> own : streams.values()) {
            for (FSDataInputStream in : own) {
                in.close();
            }
        }
    }
}
