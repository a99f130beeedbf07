package io.terrace.common;

import java.util.regex.Pattern;

/** Names of files, which may hold anything, made fit for a terminal and for a sentence. */
public final class ShownName {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private ShownName() {}

    /** Without what moves a terminal's cursor or turns the direction of the text. */
    public static String printable(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.chars().forEach(c -> out.append(isHarmful(c) ? '?' : (char) c));
        return out.toString();
    }

    private static boolean isHarmful(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    /** At most so many letters, cut in the middle, where paths say least. */
    public static String shortened(String text, int width) {
        if (text.length() <= width) {
            return text;
        }
        int kept = width - 3;
        int head = kept / 3;
        return text.substring(0, head) + "..." + text.substring(text.length() - (kept - head));
    }

    /** A path as an argument of a command that is to be pasted into a shell; {@code PATH} where it is longer or cannot be quoted. */
    public static String argument(String path, int longest) {
        if (path.length() > longest || !printable(path).equals(path) || path.contains("'")) {
            return "PATH";
        }
        return PLAIN.matcher(path).matches() ? path : "'" + path + "'";
    }
}
