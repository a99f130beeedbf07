package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import java.io.IOException;

/** Processes that ended and that this test did not kill: each is counted, and started again. */
final class EndedProcesses {
    private final SoakCluster soak;
    private final Findings findings;

    EndedProcesses(SoakCluster soak, Findings findings) {
        this.soak = soak;
        this.findings = findings;
    }

    /** Starts a daemon that is not there. */
    void revive(Daemon daemon) throws IOException {
        if (daemon.hasEnded()) {
            String name = daemon.name();
            findings.count(soak.isDataNode(daemon) ? "datanodes.ended" : "daemons.ended", 1);
            findings.print(
                    name, "ended by itself; its last words are in " + name + ".out, .log and .hs_err_PID of the logs");
        }
        soak.restart(daemon);
    }

    /** Starts a client that is not there. */
    void revive(ClientProcess client) throws IOException {
        if (client.hasEnded()) {
            findings.count("clients.ended", 1);
            findings.print(client.name(), "ended by itself; its last words are in " + client.name() + ".log");
        }
        client.restart();
    }
}
