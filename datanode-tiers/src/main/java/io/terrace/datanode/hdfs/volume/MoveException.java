package io.terrace.datanode.hdfs.volume;

import io.terrace.protocol.MoveOutcome;
import java.io.IOException;

/** A move between volumes ends without effect, for a reason that has an outcome of its own. */
public final class MoveException extends IOException {

    private static final long serialVersionUID = 1;

    private final MoveOutcome outcome;

    public MoveException(MoveOutcome outcome, String message) {
        super(message);
        this.outcome = outcome;
    }

    public MoveOutcome outcome() {
        return outcome;
    }
}
