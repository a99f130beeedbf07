package io.terrace.bench.writefaults;

/**
 * What a writer has said of how it ended. One that died without a word has written nothing that could be wrong: it must not pass
 * for one that wrote. Not thread-safe.
 */
final class WriterEnd {
    private boolean ended;
    private boolean left;
    private boolean killed;

    /** @param word the first one of a line */
    void said(String word) {
        switch (word) {
            case "CLOSED", "FAILED", "BROKEN" -> ended = true;
            case "LEFT" -> left = true;
            default -> {}
        }
    }

    /** It is about to be killed, and need not say anything any more. */
    void killed() {
        killed = true;
    }

    /** What is wrong now that it says no more; empty if nothing is. */
    String fault() {
        if (killed || (ended && left)) {
            return "";
        }
        return ended
                ? "the writer died before it said what it had left"
                : "the writer died: it said neither that the file is closed nor that it failed";
    }
}
