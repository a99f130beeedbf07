package io.terrace.bench.conformance;

import java.util.Locale;

/** The two sides that are compared. */
enum Side {
    /** Hadoop's jars and nothing else. */
    STOCK,
    /** The same with our jars on the class path and our {@code hdfs-site.xml}. */
    TERRACE;

    /** Lower-case name, as used for directories and in messages. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
