package io.terrace.channel;

import java.util.Objects;

/**
 * No grant, and why. The client reads through stock HDFS and counts the reason.
 *
 * @param message what is too long for one between processes is left out
 */
public record Refusal(RefusalReason reason, String message) implements GrantAnswer {
    private static final int MAX_CHARS = 1000;

    public Refusal {
        Objects.requireNonNull(reason, "reason");
        message = message.substring(0, Math.min(MAX_CHARS, message.length()));
    }
}
