package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Link;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.soak.SoakPlan.Injection;
import io.terrace.bench.soak.client.NameNodeActivations;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Makes the faults of a round, and ends those that last for a while. For one thread, which waits for all ends. */
final class FaultInjector {
    private static final int ENDING_THREADS = 4;
    private static final int ENDED_WITHIN_S = 120;
    private static final String DATANODE = "datanode";
    private static final String NAMENODE = "namenode";

    private final SoakCluster soak;
    private final List<ClientProcess> clients;
    private final Flips flips;
    private final Findings findings;
    private final EndedProcesses ended;
    private final boolean terrace;
    private final int survivingNameNode;
    private final Path journals;

    /** What a fault concerns now; one thing suffers one fault at a time. */
    private final Set<String> taken = new HashSet<>();

    private interface Action {
        void run() throws IOException;
    }

    FaultInjector(
            SoakCluster soak,
            List<ClientProcess> clients,
            Flips flips,
            Findings findings,
            EndedProcesses ended,
            boolean terrace,
            int survivingNameNode,
            Path journals) {
        this.soak = soak;
        this.clients = List.copyOf(clients);
        this.flips = flips;
        this.findings = findings;
        this.ended = ended;
        this.terrace = terrace;
        this.survivingNameNode = survivingNameNode;
        this.journals = journals;
    }

    /** Makes faults for so long, and returns when all have ended. */
    void run(SoakPlan plan, long forNs) throws IOException {
        ScheduledExecutorService timer =
                Executors.newScheduledThreadPool(ENDING_THREADS, DaemonThreads.named("soak-faults"));
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < forNs) {
            Injection injection = plan.next();
            Waits.pause(injection.gapMs());
            reviveEnded();
            inject(injection, timer);
        }
        timer.shutdown();
        try {
            if (!timer.awaitTermination(ENDED_WITHIN_S, TimeUnit.SECONDS)) {
                throw new IOException("the faults have not ended in " + ENDED_WITHIN_S + " s");
            }
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    /** What suffers a fault now may be away. */
    private void reviveEnded() throws IOException {
        for (Daemon daemon : soak.cluster().daemons()) {
            if (isFree(target(daemon))) {
                ended.revive(daemon);
            }
        }
        for (int i = 0; i < clients.size(); i++) {
            if (isFree(target(i + 1))) {
                ended.revive(clients.get(i));
            }
        }
    }

    private String target(Daemon daemon) {
        if (soak.isDataNode(daemon)) {
            return DATANODE;
        }
        return daemon.name().startsWith(NAMENODE) ? NAMENODE : daemon.name();
    }

    private static String target(int client) {
        return "client" + client;
    }

    private void inject(Injection drawn, ScheduledExecutorService timer) throws IOException {
        Injection injection = drawn;
        if ((injection.fault() == SoakFault.KILL_NAMENODE || injection.fault() == SoakFault.HANG_AND_FAIL_OVER)
                && soak.pair()
                        .filter(pair -> pair.active() == survivingNameNode)
                        .isPresent()) {
            injection = drawn.as(SoakFault.FAILOVER);
        }
        SoakFault fault = injection.fault();
        if (fault.kind() == SoakFault.Kind.TERRACE && !terrace) {
            return;
        }
        String target = target(injection);
        if (!take(target)) {
            findings.count("faults.skipped", 1);
            return;
        }
        Action end;
        try {
            end = begin(injection);
        } catch (IOException e) {
            // As a policy that is to change while the NameNode is away, or a process that is to be killed and has
            // ended.
            findings.count("faults.failed." + fault.title(), 1);
            free(target);
            return;
        }
        if (!SoakFault.LINKS.contains(fault)) {
            counted(fault);
        }
        var unused = timer.schedule(() -> end(end, target), injection.lastsMs(), TimeUnit.MILLISECONDS);
    }

    private void counted(SoakFault fault) {
        findings.count("faults", 1);
        findings.count("faults." + fault.title(), 1);
        if (fault.kind() == SoakFault.Kind.KILL || fault.kind() == SoakFault.Kind.PAUSE) {
            findings.count("kills", 1);
        }
    }

    private static String target(Injection injection) {
        if (injection.fault().takesDataNode()) {
            return DATANODE;
        }
        return switch (injection.fault()) {
            case KILL_NAMENODE, STOP_NAMENODE, FAILOVER, HANG_AND_FAIL_OVER -> NAMENODE;
            case KILL_CLIENT, STOP_CLIENT -> target(injection.client());
            default -> injection.fault().title();
        };
    }

    private synchronized boolean take(String target) {
        return taken.add(target);
    }

    private synchronized boolean isFree(String target) {
        return !taken.contains(target);
    }

    private synchronized void free(String target) {
        taken.remove(target);
    }

    private void end(Action end, String target) {
        try {
            end.run();
        } catch (IOException | RuntimeException e) {
            // What it could not mend is mended before all is checked.
            findings.count("faults.unended", 1);
        } finally {
            free(target);
        }
    }

    /** Begins a fault and returns what ends it. */
    private Action begin(Injection injection) throws IOException {
        int number = injection.datanode();
        Daemon datanode = soak.cluster().datanode(number);
        Daemon namenode = soak.cluster().namenode();
        ClientProcess client = clients.get(injection.client() - 1);
        return switch (injection.fault()) {
            case KILL_DATANODE -> killed(datanode);
            case STOP_DATANODE -> stopped(datanode);
            case KILL_NAMENODE -> {
                if (soak.pair().isPresent()) {
                    yield failedOver(true);
                }
                Action restart = killed(namenode);
                NameNodeActivations.add(journals);
                yield restart;
            }
            case FAILOVER -> failedOver(false);
            case HANG_AND_FAIL_OVER -> {
                HungNameNode hung = HungNameNode.begin(soak, findings, journals);
                yield () -> hung.wake(injection.draw());
            }
            case STOP_NAMENODE -> stopped(namenode);
            case KILL_CLIENT -> {
                require(client.isAlive(), client.name());
                client.kill();
                yield client::restart;
            }
            case STOP_CLIENT -> {
                require(client.isAlive(), client.name());
                client.signal("STOP");
                yield () -> client.signal("CONT");
            }
            case CUT_LINK -> link(injection, Link.State.CUT);
            case STALL_LINK -> link(injection, Link.State.STALLED);
            case SLOW_LINK -> link(injection, Link.State.SLOW);
            case FULL_VOLUME -> {
                requireOwnTmpfs(soak.volumes().canBeFull());
                soak.volumes().fill(number);
                yield () -> soak.volumes().empty(number);
            }
            case FULL_MEMORY -> {
                requireOwnTmpfs(soak.memories().canBeFull());
                soak.memories().fill(number);
                yield () -> soak.memories().empty(number);
            }
            case FLIP_REPLICA -> flipped(flips.flipReplica(soak.volumes().all(), number - 1, injection.draw()));
            case FLIP_MEMORY -> flipped(flips.flipMemory(soak.memories().of(number), injection.draw()));
            case SERVICE_OFF -> {
                turn(false);
                yield () -> turn(true);
            }
            case POLICY -> {
                apply(soak, injection.draw());
                yield () -> {};
            }
        };
    }

    private static void requireOwnTmpfs(boolean mounted) throws IOException {
        if (!mounted) {
            throw new IOException("only root mounts a tmpfs that can become full");
        }
    }

    private static Action flipped(boolean done) throws IOException {
        if (!done) {
            throw new IOException("there is nothing to flip a bit of");
        }
        return () -> {};
    }

    /** A fault of a process that is not there would count, and do nothing. */
    private static void require(boolean there, String process) throws IOException {
        if (!there) {
            throw new IOException(process + " is not there");
        }
    }

    private Action killed(Daemon daemon) throws IOException {
        require(daemon.process().isPresent(), daemon.name());
        daemon.kill();
        return () -> soak.restart(daemon);
    }

    private Action failedOver(boolean crash) throws IOException {
        HaCluster pair = soak.pair().orElseThrow();
        Daemon old = pair.namenode();
        require(old.process().isPresent(), old.name());
        try {
            pair.requireReady();
            try {
                if (crash) {
                    old.kill();
                } else {
                    pair.makeStandby(pair.active());
                }
            } finally {
                // Before another one is active: what it is told then, it knows.
                NameNodeActivations.add(journals);
            }
            pair.takeOver();
        } catch (IOException e) {
            if (!crash || old.process().isPresent()) {
                throw e;
            }
            // It was killed all the same, and is to be started again.
            findings.count("faults.unfinished." + SoakFault.FAILOVER.title(), 1);
        }
        return () -> soak.restart(old);
    }

    private Action stopped(Daemon daemon) throws IOException {
        require(daemon.process().isPresent(), daemon.name());
        soak.signal(daemon, "STOP");
        return () -> soak.signal(daemon, "CONT");
    }

    /** Counts when it ends: only then it is known whether anything was to pass meanwhile. */
    private Action link(Injection injection, Link.State state) {
        int datanode = injection.datanode();
        soak.setLinks(datanode, state);
        return () -> {
            if (soak.connectionsMet(datanode) > 0) {
                counted(injection.fault());
            } else {
                findings.count("faults.idle." + injection.fault().title(), 1);
            }
            soak.setLinks(datanode, Link.State.OPEN);
        };
    }

    /** Puts a policy in force. */
    static void apply(SoakCluster soak, long draw) throws IOException {
        try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
            admin.apply(PolicyDraw.text(draw));
        }
    }

    void turn(boolean on) throws IOException {
        try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
            admin.turn(on);
        }
    }
}
