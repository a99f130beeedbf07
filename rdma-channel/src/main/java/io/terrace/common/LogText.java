package io.terrace.common;

/** Text that a client sent, made fit for the log: short, and of one line whatever is in it. */
public final class LogText {
    private static final int MOST_CHARS = 256;

    private LogText() {}

    /** The text's beginning, with an escape for every character that is more than ink. */
    public static String shown(String text) {
        StringBuilder line = new StringBuilder();
        int end = Math.min(text.length(), MOST_CHARS);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (isInk(c)) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        return end < text.length() ? line.append("...").toString() : line.toString();
    }

    private static boolean isInk(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
