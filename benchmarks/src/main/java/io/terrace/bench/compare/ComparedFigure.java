package io.terrace.bench.compare;

/**
 * A figure of a benchmark in two builds.
 *
 * @param id its key in the {@code --json} file
 * @param ofTerrace false for what stock or a plain copy took: it shows how much the machine itself varied
 * @param byDifference whether the change is a difference, for a figure that may be zero or less
 * @param old median over the rounds of the other build, in the figure's own unit
 * @param own likewise of this build
 * @param change median over the rounds of this build's value over the other's, turned so that over 1 is better than the other; by
 *     difference, of what this build's value is less than the other's, so that over 0 is better
 * @param bounded false when the rounds are too few for bounds
 * @param low 95 % lower bound of that median; when not bounded the smallest change of a round
 * @param high 95 % upper bound; when not bounded the largest
 * @param verdict of the change
 */
public record ComparedFigure(
        String id,
        boolean ofTerrace,
        boolean byDifference,
        double old,
        double own,
        double change,
        boolean bounded,
        double low,
        double high,
        Verdict verdict) {
    /** Bytes of two small objects, which one read may allocate more before it counts. */
    private static final double LEAST_DIFFERENCE = -64;

    /** The verdict by the bounds of the change. */
    public enum Verdict {
        /** The lower bound is at least the wanted change. */
        REACHED,
        /** The wanted change lies between the bounds, or there are too few rounds for bounds. */
        OPEN,
        /** The upper bound is less than the wanted change. */
        UNDER
    }

    /** The wanted change of a figure, where ratios are to be at least {@code ratio}. */
    static double least(String id, double ratio) {
        return comparesByDifference(id) ? LEAST_DIFFERENCE : ratio;
    }

    /** Whether the median is not what was wanted, where ratios are to be at least {@code ratio}. */
    public boolean isMedianUnder(double ratio) {
        return change < least(id, ratio);
    }

    /** True for bytes that are allocated beyond stock's, which may be none or fewer: their ratio says nothing. */
    static boolean comparesByDifference(String id) {
        return id.endsWith(".allocated");
    }

    /** True if smaller is better; ratios to stock and rates are better when larger. */
    static boolean lessIsBetter(String id) {
        if (id.endsWith("_gb_s") || id.endsWith("_reads_s")) {
            return false;
        }
        return id.endsWith("_us")
                || id.endsWith("_s")
                || id.endsWith("_s_gb")
                || id.startsWith("promote.delay_s")
                || id.equals("remote.calls.terrace")
                || id.equals("remote.calls.stock");
    }

    /**
     * True for figures of the baselines, which do not depend on the build: {@code local.pos4k.tcp_us}, {@code
     * remote.seq.nio_gb_s}; and of stock against itself, and against a client whose accessor declines every block.
     */
    static boolean isBaseline(String id) {
        return id.matches(".*\\.(tcp|sc|sctuned|stock|memcpy|nio|plain)_(us|cpu_us|gb_s|s_gb|reads_s)")
                || id.matches("cold\\..*\\.(same|declined)(\\..*)?")
                || id.equals("remote.calls.stock");
    }
}
