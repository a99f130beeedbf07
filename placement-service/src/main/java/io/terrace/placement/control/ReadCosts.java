package io.terrace.placement.control;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a read from a tier takes: so long for the access and so long for each byte. Both are fitted to the times that DataNodes
 * report ({@link ReadTime}), by least squares; each report weighs as much as it has reads, over the square of what such a read
 * was assumed to take, so that scans do not drown short reads. A tier begins with assumed times, which weigh as much as
 * {@value #ASSUMED_READS} short and as many long reads and stay where nothing is timed. What was reported counts half at each
 * {@link #halve}.
 *
 * <p>Not in the times: the network, reads through grants, and short-circuit reads (docs/decisions/0038-control-sample.md).
 * Owned by the engine's thread.
 */
public final class ReadCosts {

    static final int ASSUMED_READS = 20;
    /** Of one report; no DataNode outweighs all others. */
    private static final long MOST_READS = 10_000;
    /** No read takes longer, as far as is believed. */
    private static final double MOST_NS = 60e9;

    private static final long SHORT_BYTES = 4 << 10;
    private static final long LONG_BYTES = 64 << 20;

    private final Map<StorageTier, Fit> fits = new EnumMap<>(StorageTier.class);

    public ReadCosts() {
        fits.put(StorageTier.MEMORY, new Fit(3_000, 8e9));
        fits.put(StorageTier.NVM, new Fit(10_000, 3e9));
        fits.put(StorageTier.SSD, new Fit(100_000, 500e6));
        fits.put(StorageTier.DISK, new Fit(8_000_000, 120e6));
        fits.put(StorageTier.ARCHIVE, new Fit(8_000_000, 120e6));
    }

    /** A DataNode tells how long reads took. */
    void add(ReadTime time) {
        if (time.reads() > 0 && time.bytes() >= 0 && time.ns() >= 0) {
            fit(time.tier())
                    .add(
                            Math.min(MOST_READS, time.reads()),
                            (double) time.bytes() / time.reads(),
                            Math.min(MOST_NS, (double) time.ns() / time.reads()));
        }
    }

    void halve() {
        fits.values().forEach(Fit::halve);
    }

    /** How much less time reads take from memory than from a tier, in all, in nanoseconds; at least one for each read. */
    public long savedNs(StorageTier tier, long reads, double bytesOfEach) {
        double each = fit(tier).ns(bytesOfEach) - fit(StorageTier.MEMORY).ns(bytesOfEach);
        return (long) (reads * Math.max(1, each));
    }

    /** What memory saves of the access of each read; 0 if nothing. */
    double savedAccessNs(StorageTier tier) {
        return Math.max(0, fit(tier).accessNs - fit(StorageTier.MEMORY).accessNs);
    }

    /** What memory saves for each byte; 0 if nothing. */
    double savedByteNs(StorageTier tier) {
        return Math.max(0, fit(tier).byteNs - fit(StorageTier.MEMORY).byteNs);
    }

    private Fit fit(StorageTier tier) {
        Fit fit = fits.get(tier);
        if (fit == null) {
            throw new IllegalStateException("nothing is assumed of " + tier);
        }
        return fit;
    }

    /** Sums of the normal equations of time = access + byte * size, over reads of which each has a size and a time. */
    private static final class Fit {
        private final double assumedAccessNs;
        private final double assumedByteNs;
        private double weights;
        private double sizes;
        private double squares;
        private double times;
        private double products;
        private double accessNs;
        private double byteNs;

        Fit(double accessNs, double bytesPerS) {
            assumedAccessNs = accessNs;
            assumedByteNs = 1e9 / bytesPerS;
            solve();
        }

        void add(double reads, double size, double ns) {
            double assumed = assumedAccessNs + assumedByteNs * size;
            double weight = reads / (assumed * assumed);
            weights += weight;
            sizes += weight * size;
            squares += weight * size * size;
            times += weight * ns;
            products += weight * size * ns;
            solve();
        }

        void halve() {
            weights /= 2;
            sizes /= 2;
            squares /= 2;
            times /= 2;
            products /= 2;
            solve();
        }

        double ns(double size) {
            return accessNs + byteNs * size;
        }

        private void solve() {
            double w = weights;
            double s = sizes;
            double ss = squares;
            double t = times;
            double st = products;
            for (long size : new long[] {SHORT_BYTES, LONG_BYTES}) {
                double ns = assumedAccessNs + assumedByteNs * size;
                double weight = ASSUMED_READS / (ns * ns);
                w += weight;
                s += weight * size;
                ss += weight * size * size;
                t += weight * ns;
                st += weight * size * ns;
            }
            byteNs = Math.max(0, (w * st - s * t) / (w * ss - s * s));
            accessNs = Math.max(0, (t - byteNs * s) / w);
            if (accessNs == 0) {
                byteNs = st / ss;
            }
        }
    }
}
