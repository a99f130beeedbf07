package io.terrace.channel;

import java.util.Objects;

/**
 * Refuses a grant, and says why. The client reads through stock HDFS and counts the reason.
 *
 * @param message cut where it is too long for a message between processes
 */
public record Refusal(RefusalReason reason, String message) implements GrantAnswer {
    private static final int MAX_CHARS = 1000;

    public Refusal {
        Objects.requireNonNull(reason, "reason");
        message = message.substring(0, Math.min(MAX_CHARS, message.length()));
    }
}
