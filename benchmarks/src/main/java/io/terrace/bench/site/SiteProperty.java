package io.terrace.bench.site;

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
public record SiteProperty(String key, String value, String doc, Set<PropertyReader> readBy, boolean set) {
    public SiteProperty {
        readBy = Set.copyOf(readBy);
    }

    /** The same property with another value. */
    public SiteProperty withValue(String other) {
        return new SiteProperty(key, other, doc, readBy, set);
    }
}
