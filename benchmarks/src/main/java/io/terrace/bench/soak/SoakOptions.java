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
}
