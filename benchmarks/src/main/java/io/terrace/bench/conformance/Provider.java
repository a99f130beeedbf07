package io.terrace.bench.conformance;

import java.util.Locale;

/** How the clients of a test read the memory of a DataNode. */
enum Provider {
    /** As on one host: the extent's file. */
    SHM,
    /** As from another host. */
    TCP;

    /** In names of directories. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
