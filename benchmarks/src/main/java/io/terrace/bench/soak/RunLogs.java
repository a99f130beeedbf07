package io.terrace.bench.soak;

import io.terrace.bench.soak.logs.DaemonLogs;
import io.terrace.bench.soak.logs.ErrorLines;
import io.terrace.bench.soak.logs.FailedCopies;
import io.terrace.bench.soak.logs.Recoveries;
import io.terrace.bench.soak.logs.RecoveryLine;
import io.terrace.bench.soak.logs.StaleCopies;
import io.terrace.bench.soak.logs.VolumeMoves;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What the logs of daemons and clients tell of a run. They are to be read in each round: lines of an hour ago may be gone. */
final class RunLogs {
    private static final String CLIENTS = "c";

    private final DaemonLogs daemons;
    private final DaemonLogs clients;
    private final Recoveries recoveries;
    private final VolumeMoves moves = new VolumeMoves();
    private final StaleCopies staleCopies = new StaleCopies();
    private final FailedCopies failedCopies = new FailedCopies();
    private final ErrorLines errors;

    /**
     * @param daemons directory of the logs of daemons
     * @param clients of those of clients
     * @param recovered takes each recovery once
     * @param print takes each error of Terrace, with the name of the process
     */
    RunLogs(Path daemons, Path clients, Consumer<RecoveryLine> recovered, BiConsumer<String, String> print) {
        this.daemons = new DaemonLogs(daemons);
        this.clients = new DaemonLogs(clients);
        this.recoveries = new Recoveries(recovered);
        this.errors = new ErrorLines(print);
    }

    void read() throws IOException {
        daemons.read("", (daemon, line) -> {
            recoveries.take(daemon, line);
            moves.take(daemon, line);
            staleCopies.take(daemon, line);
            failedCopies.take(daemon, line);
            errors.take(daemon, line);
        });
        clients.read(CLIENTS, errors::take);
    }

    VolumeMoves moves() {
        return moves;
    }

    StaleCopies staleCopies() {
        return staleCopies;
    }

    FailedCopies failedCopies() {
        return failedCopies;
    }

    Map<String, Long> figures() {
        Map<String, Long> figures = new TreeMap<>(recoveries.figures());
        figures.putAll(moves.figures());
        figures.putAll(errors.figures());
        figures.put("copies.stale", staleCopies.count());
        figures.put("copies.failed", failedCopies.count());
        return figures;
    }
}
