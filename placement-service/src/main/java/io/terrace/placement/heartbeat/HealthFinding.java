package io.terrace.placement.heartbeat;

import org.jspecify.annotations.Nullable;

/** Something that is wrong with a host, a service or a configuration, or that an operator should know of it. */
public record HealthFinding(String id, Severity severity, String text, @Nullable String remedy) {

    /** The order is that of the wire. */
    public enum Severity {
        NOTE,
        WARNING,
        ERROR
    }

    public boolean isProblem() {
        return severity != Severity.NOTE;
    }
}
