package io.terrace.placement.explain;

import io.terrace.common.Quantity;

/**
 * What pins a file.
 *
 * @param kind what sort of pin it is
 * @param by the user who pinned it; empty where that is not known, and for rules
 * @param forMs since when; -1 where that is not known
 * @param until when it ends, for a person; empty for never
 * @param target the file or directory that was pinned, or the rule
 * @param words of a rule: what it says, for those who may read the policy file; else empty
 */
public record FilePin(Kind kind, String by, long forMs, String until, String target, String words) {

    /** A pin of the file itself, of a directory above it, or by a rule. */
    public enum Kind {
        FILE,
        DIRECTORY,
        RULE
    }

    /** The line below the file's name. */
    public String line() {
        if (kind == Kind.RULE) {
            return "PINNED by " + target + (words.isEmpty() ? "" : " (" + words + ")");
        }
        return "PINNED" + (kind == Kind.DIRECTORY ? " by " + Words.name(target) + " (recursive)" : "")
                + (forMs < 0 ? "" : " since " + Quantity.millis(forMs))
                + (by.isEmpty() ? "" : " by " + Words.name(by))
                + (until.isEmpty() ? ", for ever" : ", until " + until);
    }

    /** Why its blocks are in memory. */
    String why() {
        String who = by.isEmpty() ? "An operator" : Words.name(by);
        return switch (kind) {
            case FILE -> who + " pinned the file";
            case DIRECTORY -> who + " pinned " + Words.name(target) + " with all files below it";
            case RULE -> Words.capital(target) + " pins the file";
        };
    }

    /** Until when they stay there. */
    String stays() {
        if (kind == Kind.RULE) {
            return "Stays until the rule is changed, or the file is deleted: placementctl policy show --text.";
        }
        return "Stays until " + (until.isEmpty() ? "" : until + ", ") + "placementctl unpin " + Words.argument(target)
                + ", or the file is deleted.";
    }
}
