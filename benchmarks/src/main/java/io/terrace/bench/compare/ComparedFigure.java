package io.terrace.bench.compare;

/**
 * A figure of a benchmark in two builds.
 *
 * @param id its key in the {@code --json} file
 * @param ofTerrace false for what stock or a plain copy took: it shows how much the machine itself varied
 * @param old median over the rounds of the other build, in the figure's own unit
 * @param own likewise of this build
 * @param ratio median over the rounds of this build's value over the other's, turned so that over 1 is better than the other
 * @param bounded false when the rounds are too few for bounds
 * @param low 95 % lower bound of that median; when not bounded the smallest ratio of a round
 * @param high 95 % upper bound; when not bounded the largest
 * @param verdict of the ratio
 */
public record ComparedFigure(
        String id,
        boolean ofTerrace,
        double old,
        double own,
        double ratio,
        boolean bounded,
        double low,
        double high,
        Verdict verdict) {
    /** The verdict by the bounds of the ratio. */
    public enum Verdict {
        /** The lower bound is at least the wanted ratio. */
        REACHED,
        /** The wanted ratio lies between the bounds, or there are too few rounds for bounds. */
        OPEN,
        /** The upper bound is less than the wanted ratio. */
        UNDER
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
     * remote.seq.nio_gb_s}.
     */
    static boolean isBaseline(String id) {
        return id.matches(".*\\.(tcp|sc|sctuned|stock|memcpy|nio)_(us|gb_s|s_gb|reads_s)")
                || id.equals("remote.calls.stock");
    }
}
