package io.terrace.channel;

import java.util.Objects;

/** No grant, and why. The client reads through stock HDFS and counts the reason. */
public record Refusal(RefusalReason reason, String message) implements GrantAnswer {
    public Refusal {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
    }
}
