package io.terrace.policy.adaptive;

/** Fast logarithms to base 2: exact at powers of two, straight lines between them (error at most 0.086). */
final class Log2 {

    private Log2() {}

    /** Log of a whole number of at least 1; smaller ones count as 1. Monotone. */
    static double of(long x) {
        if (x <= 1) {
            return 0;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(x);
        return exponent + ((x << (63 - exponent)) & Long.MAX_VALUE) * 0x1p-63;
    }

    /** Log of a normal number above 0. Monotone. */
    static double of(double x) {
        return (Double.doubleToRawLongBits(x) - 0x3FF0_0000_0000_0000L) * 0x1p-52;
    }

    /** The number whose {@link #of} is a given value of at least 0. */
    static double inverse(double log) {
        double exponent = Math.floor(log);
        return Math.scalb(1 + (log - exponent), (int) exponent);
    }
}
