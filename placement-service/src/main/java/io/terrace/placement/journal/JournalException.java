package io.terrace.placement.journal;

import java.io.IOException;

/** The journal cannot be used as it is. The message names the path and the remedy. */
final class JournalException extends IOException {

    private static final long serialVersionUID = 1L;

    /** What is to be done now. */
    enum Next {
        /** It may work later: another process has it, the disk is full. */
        RETRY,
        /** What is there is of no use: begin anew. */
        BEGIN_ANEW,
        /** It will not work in this process. */
        GIVE_UP
    }

    private final Next next;

    JournalException(Next next, String message, Throwable cause) {
        super(message, cause);
        this.next = next;
    }

    JournalException(Next next, String message) {
        super(message);
        this.next = next;
    }

    Next next() {
        return next;
    }
}
