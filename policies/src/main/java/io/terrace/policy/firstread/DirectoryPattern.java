package io.terrace.policy.firstread;

import java.nio.charset.StandardCharsets;

/**
 * The directories whose files are treated alike: a path without its last name, with {@code #} in place of each run of digits.
 * So {@code /logs/2026-11-25/00/part-3} and {@code /logs/2026-11-26/01/part-7} are both of {@code /logs/#-#-#/#}.
 */
public final class DirectoryPattern {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private DirectoryPattern() {}

    /** @param path absolute, of a file */
    public static String of(String path) {
        int end = Math.max(0, path.lastIndexOf('/'));
        return end == 0 ? "/" : withoutNumbers(path.substring(0, end));
    }

    /** A number in place of what {@link #of} says, never 0: other directories have other ones, as good as always. */
    public static long number(String path) {
        return hash(of(path));
    }

    /** A number in place of the path itself, as {@link #number}. */
    public static long numberOfFile(String path) {
        return hash(path);
    }

    private static long hash(String text) {
        long hash = FNV_OFFSET;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return hash == 0 ? 1 : hash;
    }

    /** A text with {@code #} in place of each run of digits. */
    private static String withoutNumbers(String text) {
        StringBuilder pattern = new StringBuilder(text.length());
        boolean digits = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            if (!digit) {
                pattern.append(c);
            } else if (!digits) {
                pattern.append('#');
            }
            digits = digit;
        }
        return pattern.toString();
    }
}
