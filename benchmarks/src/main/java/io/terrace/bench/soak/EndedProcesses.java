package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import java.io.IOException;
import java.util.List;

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
        note(daemon);
        soak.restart(daemon);
    }

    /** Starts a client that is not there. */
    void revive(ClientProcess client) throws IOException {
        note(client);
        client.restart();
    }

    /** Counts what has ended, when nothing is started any more. */
    void note(List<ClientProcess> clients) throws IOException {
        for (ClientProcess client : clients) {
            note(client);
        }
        for (Daemon daemon : soak.cluster().daemons()) {
            note(daemon);
        }
    }

    private void note(Daemon daemon) throws IOException {
        if (daemon.hasEnded()) {
            String name = daemon.name();
            findings.count(soak.isDataNode(daemon) ? "datanodes.ended" : "daemons.ended", 1);
            findings.print(
                    name, "ended by itself; its last words are in " + name + ".out, .log and .hs_err_PID of the logs");
        }
    }

    private void note(ClientProcess client) {
        if (client.hasEnded()) {
            findings.count("clients.ended", 1);
            findings.print(client.name(), "ended by itself; its last words are in " + client.name() + ".log");
        }
    }
}
