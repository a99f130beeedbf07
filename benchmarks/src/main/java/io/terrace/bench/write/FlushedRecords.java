package io.terrace.bench.write;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Appends records to a file and flushes each, as a log does. The file is compared and removed after that. */
final class FlushedRecords implements InterleavedRuns.Probe {
    private static final double HIGH = 0.99;

    private final FileContent content;
    private final FileSystem reader;
    private final int records;
    private final int recordBytes;
    private final boolean sync;
    private final int warmUps;
    private final Map<String, double[]> high = new HashMap<>();

    /**
     * Records of a round.
     *
     * @param reader compares
     * @param sync whether each record is to be on the DataNodes' volumes, not only in their memory
     * @param warmUps rounds before those whose high percentiles are kept
     */
    FlushedRecords(
            FileContent content,
            FileSystem reader,
            int records,
            int recordBytes,
            boolean sync,
            int warmUps,
            int rounds,
            Iterable<Client> clients) {
        this.content = content;
        this.reader = reader;
        this.records = records;
        this.recordBytes = recordBytes;
        this.sync = sync;
        this.warmUps = warmUps;
        clients.forEach(client -> high.put(client.name(), new double[rounds]));
    }

    /** Mean microseconds from the write of a record to the end of its flush. */
    @Override
    public double cost(Client client, int round) throws IOException {
        Path path = new Path("/bench-write/" + client.name() + "-flushed-" + round);
        double[] tookUs = new double[records];
        try (FSDataOutputStream out = client.fs().create(path)) {
            for (int i = 0; i < records; i++) {
                long startNs = System.nanoTime();
                content.write(out, (long) i * recordBytes, (i + 1L) * recordBytes, recordBytes);
                if (sync) {
                    out.hsync();
                } else {
                    out.hflush();
                }
                tookUs[i] = (System.nanoTime() - startNs) / 1e3;
            }
        }
        try (FSDataInputStream in = reader.open(path)) {
            content.requireIn(in, (long) records * recordBytes);
        }
        if (!reader.delete(path, false)) {
            throw new IOException(path + " is gone");
        }
        double mean = Arrays.stream(tookUs).average().orElseThrow();
        Arrays.sort(tookUs);
        if (round >= warmUps) {
            highs(client.name())[round - warmUps] = tookUs[(int) Math.ceil(records * HIGH) - 1];
        }
        return mean;
    }

    /** The 99th percentile of each round of a client, in microseconds. */
    double[] highs(String client) {
        double[] own = high.get(client);
        if (own == null) {
            throw new IllegalArgumentException("no client " + client + " among " + high.keySet());
        }
        return own;
    }
}
