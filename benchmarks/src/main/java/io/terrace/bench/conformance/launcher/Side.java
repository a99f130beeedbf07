package io.terrace.bench.conformance.launcher;

import java.util.Locale;

/** The two sides that are compared. */
public enum Side {
    /** Hadoop's jars and nothing else. */
    STOCK,
    /** The same with our jars on the class path and our {@code hdfs-site.xml}. */
    TERRACE;

    /** Lower-case name, as used for directories and in messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
