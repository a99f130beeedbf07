package io.terrace.host;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's version, of which the first two numbers matter. */
record KernelVersion(int major, int minor) implements Comparable<KernelVersion> {

    /** The first whose tmpfs knows {@code noswap}. */
    static final KernelVersion NOSWAP = new KernelVersion(6, 4);

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");

    /** @param release as {@code uname -r} prints it; 0.0 where it has no numbers */
    static KernelVersion of(String release) {
        Matcher numbers = NUMBERS.matcher(release.strip());
        return numbers.matches()
                ? new KernelVersion(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)))
                : new KernelVersion(0, 0);
    }

    @Override
    public int compareTo(KernelVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
