package io.terrace.policy.firstread;

/**
 * The directories whose files are treated alike: a path without its last name, with {@code #} in place of each run of digits.
 * So {@code /logs/2026-11-25/00/part-3} and {@code /logs/2026-11-26/01/part-7} are both of {@code /logs/#-#-#/#}.
 */
public final class DirectoryPattern {

    private DirectoryPattern() {}

    /** @param path absolute, of a file */
    public static String of(String path) {
        int end = Math.max(0, path.lastIndexOf('/'));
        return end == 0 ? "/" : withoutNumbers(path.substring(0, end));
    }

    /** A text with {@code #} in place of each run of digits. */
    public static String withoutNumbers(String text) {
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
