package io.terrace.policy.replay;

import java.io.IOException;

/** A trace that cannot be read, with the place of the first thing that is wrong. */
public final class TraceFormatException extends IOException {

    private static final long serialVersionUID = 1;

    public TraceFormatException(String trace, int line, String what) {
        super("trace " + trace + (line > 0 ? ", line " + line : "") + ": " + what);
    }
}
