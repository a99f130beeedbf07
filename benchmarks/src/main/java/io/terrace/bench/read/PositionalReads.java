package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.PairedRatios;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/** Aligned positional reads at random of one file, through streams that stay open, as HBase reads its store files. */
public final class PositionalReads implements InterleavedRuns.Probe, Closeable {
    private final Path file;
    private final int readBytes;
    private final int readsPerRound;
    private final long pieces;
    private final byte[] buffer;
    private final double[] latencyUs;
    private final Map<String, FSDataInputStream> streams = new HashMap<>();

    public PositionalReads(Path file, long fileBytes, int readBytes, int readsPerRound) {
        this.file = file;
        this.readBytes = readBytes;
        this.readsPerRound = readsPerRound;
        this.pieces = fileBytes / readBytes;
        this.buffer = new byte[readBytes];
        this.latencyUs = new double[readsPerRound];
    }

    /** Median microseconds of a read; all clients read the same positions in a round. */
    @Override
    public double cost(Client client, int round) throws IOException {
        FSDataInputStream in = streams.get(client.name());
        if (in == null) {
            in = client.fs().open(file);
            streams.put(client.name(), in);
        }
        SplittableRandom random = new SplittableRandom(round);
        for (int i = 0; i < readsPerRound; i++) {
            long position = random.nextLong(pieces) * readBytes;
            long startNs = System.nanoTime();
            in.readFully(position, buffer, 0, readBytes);
            latencyUs[i] = (System.nanoTime() - startNs) / 1e3;
        }
        Arrays.sort(latencyUs);
        return PairedRatios.median(latencyUs);
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream in : streams.values()) {
            in.close();
        }
    }
}
