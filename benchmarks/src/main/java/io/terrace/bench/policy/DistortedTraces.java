package io.terrace.bench.policy;

import io.terrace.policy.replay.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Variants of a trace to which no constant was fitted: each half of its rows, other sizes, and objects exchanged in the
 * second half.
 */
final class DistortedTraces {

    private final Trace trace;
    private final Random random;

    private DistortedTraces(Trace trace, long seed) {
        this.trace = trace;
        random = new Random(seed);
    }

    static List<Trace> of(Trace trace, long seed) {
        DistortedTraces made = new DistortedTraces(trace, seed);
        int middle = trace.rows() / 2;
        List<Trace> all = new ArrayList<>();
        all.add(made.part("first-half", 0, middle));
        all.add(made.part("second-half", middle, trace.rows()));
        all.add(made.otherSizes());
        all.add(made.otherObjects());
        return all;
    }

    private Trace.Builder rows(String what) {
        return new Trace.Builder(trace.name() + "." + what);
    }

    private Trace part(String what, int from, int to) {
        Trace.Builder rows = rows(what);
        for (int row = from; row < to; row++) {
            add(rows, row, trace.object(row), 1);
        }
        return rows.build();
    }

    /** Each object's size times a factor drawn from a log-normal distribution of deviation 1. */
    private Trace otherSizes() {
        double[] factors = new double[trace.objects()];
        for (int object = 0; object < factors.length; object++) {
            factors[object] = Math.exp(random.nextGaussian());
        }
        Trace.Builder rows = rows("sizes");
        for (int row = 0; row < trace.rows(); row++) {
            add(rows, row, trace.object(row), factors[trace.object(row)]);
        }
        return rows.build();
    }

    /** From the middle on, objects are exchanged at random, so that popular ones no longer are. */
    private Trace otherObjects() {
        int[] parts = new int[trace.objects()];
        for (int object = 0; object < parts.length; object++) {
            int other = random.nextInt(object + 1);
            parts[object] = parts[other];
            parts[other] = object;
        }
        Trace.Builder rows = rows("objects");
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            add(rows, row, row < trace.rows() / 2 ? object : parts[object], 1);
        }
        return rows.build();
    }

    private void add(Trace.Builder rows, int row, int object, double factor) {
        rows.add(
                trace.timeMs(row),
                object,
                (long) (trace.bytes(row) * factor),
                (long) (trace.size(row) * factor),
                trace.isWrite(row),
                trace.job(row));
    }
}
