package io.terrace.bench.soak;

import java.time.Duration;
import java.util.Map;

/**
 * What a run is to be.
 *
 * @param length of all rounds together
 * @param seed everything is drawn from it
 * @param terrace whether daemons and clients run with Terrace; else the same happens to stock HDFS
 * @param pair whether there are two NameNodes, of which one is a standby
 * @param provider how clients read memory
 * @param properties more of every daemon
 */
record SoakOptions(
        Duration length, long seed, boolean terrace, boolean pair, Provider provider, Map<String, String> properties) {
    /** Who checks all, with a stock client that verifies what it reads. */
    static final String CHECK = "check";

    /** How clients read memory. */
    enum Provider {
        /** From the file, as on the DataNode's host. */
        SHM,
        /** As from other hosts. */
        TCP
    }

    SoakOptions {
        properties = Map.copyOf(properties);
    }

    /**
     * Whether a process sees a bit that is flipped in memory. Of what is pinned, a client that reads short-circuit skips the
     * checksums too.
     *
     * @param mapped whether there is such a client
     */
    boolean readsMemoryUnverified(String process, boolean mapped) {
        return terrace
                && !process.equals(CHECK)
                && (provider == Provider.SHM || mapped && process.equals(ShortCircuit.CLIENT));
    }
}
