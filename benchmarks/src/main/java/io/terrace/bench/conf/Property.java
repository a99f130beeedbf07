package io.terrace.bench.conf;

import java.util.Set;

/**
 * One property of a complete configuration.
 *
 * @param key its name
 * @param value what it is set to, or its default
 * @param doc what it does
 * @param readBy the parts it matters to
 * @param set whether Terrace needs it; otherwise the default does, and a file shows it as a comment
 */
public record Property(String key, String value, String doc, Set<Part> readBy, boolean set) {
    public Property {
        readBy = Set.copyOf(readBy);
    }

    /** The same property with another value. */
    public Property withValue(String other) {
        return new Property(key, other, doc, readBy, set);
    }
}
