package io.terrace.bench.read;

import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.PairedRatios;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/** Opens a file, reads its first byte and closes it. */
final class OpenAndRead implements InterleavedRuns.Probe {
    private final Path file;
    private final double[] latencyUs;

    OpenAndRead(Path file, int opensPerRound) {
        this.file = file;
        this.latencyUs = new double[opensPerRound];
    }

    /** Median microseconds. */
    @Override
    public double cost(Client client, int round) throws IOException {
        for (int i = 0; i < latencyUs.length; i++) {
            long startNs = System.nanoTime();
            try (FSDataInputStream in = client.fs().open(file)) {
                if (in.read() < 0) {
                    throw new IOException(file + " is empty");
                }
            }
            latencyUs[i] = (System.nanoTime() - startNs) / 1e3;
        }
        Arrays.sort(latencyUs);
        return PairedRatios.median(latencyUs);
    }
}
