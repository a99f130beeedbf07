package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.soak.client.NameNodeActivations;
import io.terrace.bench.soak.logs.DaemonLogs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * The active NameNode of a pair hangs, the other one takes over, and the one that wakes believes that it is active. JournalNodes
 * refuse what it writes, so it ends itself, or becomes a standby when it is told to. Until then its placement service
 * speaks to DataNodes as an active one.
 */
final class HungNameNode {
    /** For so long at most nobody tells it that another one is active. */
    private static final int MOST_ALONE_MS = 3_000;

    private static final int DECIDED_SECONDS = 30;
    private static final DateTimeFormatter LOGGED = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");

    /** Hadoop 3.5 ends a NameNode then (JournalSet, FSEditLog). */
    private static final Pattern FENCED = Pattern.compile("^\\d{4}-.*required journal");

    private final SoakCluster soak;
    private final HaCluster pair;
    private final Findings findings;
    private final int number;

    private HungNameNode(SoakCluster soak, HaCluster pair, Findings findings, int number) {
        this.soak = soak;
        this.pair = pair;
        this.findings = findings;
        this.number = number;
    }

    /** Stops the active NameNode, and makes the other one active. */
    static HungNameNode begin(SoakCluster soak, Findings findings, Path journals) throws IOException {
        HaCluster pair = soak.pair().orElseThrow();
        HungNameNode hung = new HungNameNode(soak, pair, findings, pair.active());
        pair.requireReady();
        soak.signal(hung.daemon(), "STOP");
        NameNodeActivations.add(journals);
        boolean taken = false;
        try {
            pair.takeOver();
            taken = true;
        } finally {
            if (!taken) {
                soak.signal(hung.daemon(), "CONT");
            }
        }
        return hung;
    }

    private Daemon daemon() {
        return pair.namenode(number);
    }

    /** Has it go on, and waits until it is no active NameNode any more. */
    void wake(long draw) throws IOException {
        String since = LOGGED.format(LocalDateTime.now());
        soak.signal(daemon(), "CONT");
        Waits.pause(Math.floorMod(draw, MOST_ALONE_MS));
        Optional<String> active = Waits.untilRight(DECIDED_SECONDS, this::active);
        if (active.isPresent()) {
            findings.count("hangs.active", 1);
            findings.print(daemon().name(), active.get());
        } else if (daemon().process().isPresent()) {
            findings.count("hangs.standby", 1);
        } else if (wasFenced(since)) {
            findings.count("hangs.ended", 1);
            pair.stop(daemon());
        }
        if (!daemon().hasEnded()) {
            soak.restart(daemon());
        }
        // What ended for another reason is counted where it is missed.
    }

    private Optional<String> active() throws IOException {
        if (daemon().process().isEmpty()) {
            return Optional.empty();
        }
        pair.makeStandby(number);
        return pair.isStandby(number) ? Optional.empty() : Optional.of("is no standby since it woke");
    }

    private boolean wasFenced(String since) throws IOException {
        AtomicBoolean fenced = new AtomicBoolean();
        new DaemonLogs(soak.cluster().layout().logs()).read(daemon().name(), (name, line) -> {
            if (line.compareTo(since) >= 0 && FENCED.matcher(line).find()) {
                fenced.set(true);
            }
        });
        return fenced.get();
    }
}
