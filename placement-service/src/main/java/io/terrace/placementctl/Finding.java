package io.terrace.placementctl;

import org.jspecify.annotations.Nullable;

/**
 * Something that {@code doctor} found.
 *
 * @param where configuration, a service, NameNode, or a DataNode's name
 */
record Finding(Severity severity, String where, String id, String text, @Nullable String remedy) {

    /** In the order they are shown. */
    enum Severity {
        ERROR,
        WARNING,
        NOTE
    }

    boolean isProblem() {
        return severity != Severity.NOTE;
    }
}
