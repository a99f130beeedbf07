package io.terrace.bench.soak;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Link;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.soak.SoakPlan.Injection;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
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

    private final SoakCluster soak;
    private final List<ClientProcess> clients;
    private final Flips flips;
    private final Findings findings;
    private final boolean terrace;
    private final int survivingNameNode;

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
            boolean terrace,
            int survivingNameNode) {
        this.soak = soak;
        this.clients = List.copyOf(clients);
        this.flips = flips;
        this.findings = findings;
        this.terrace = terrace;
        this.survivingNameNode = survivingNameNode;
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

    /** A DataNode may end by itself, as when its only volume fails. */
    private void reviveEnded() throws IOException {
        for (int i = 1; i <= SoakCluster.DATANODES; i++) {
            Daemon datanode = soak.cluster().datanode(i);
            if (isFree("datanode") && datanode.process().isEmpty()) {
                findings.count("datanodes.ended", 1);
                soak.restart(datanode);
            }
        }
    }

    private void inject(Injection drawn, ScheduledExecutorService timer) throws IOException {
        Injection injection = drawn;
        if (injection.fault() == SoakFault.KILL_NAMENODE
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
            // As a policy that is to change while the NameNode is away.
            findings.count("faults.failed." + fault.title(), 1);
            free(target);
            return;
        }
        findings.count("faults", 1);
        findings.count("faults." + fault.title(), 1);
        if (fault.kind() == SoakFault.Kind.KILL || fault.kind() == SoakFault.Kind.PAUSE) {
            findings.count("kills", 1);
        }
        var unused = timer.schedule(() -> end(end, target), injection.lastsMs(), TimeUnit.MILLISECONDS);
    }

    private static String target(Injection injection) {
        if (injection.fault().takesDataNode()) {
            return "datanode";
        }
        return switch (injection.fault()) {
            case KILL_NAMENODE, STOP_NAMENODE, FAILOVER -> "namenode";
            case KILL_CLIENT, STOP_CLIENT -> "client" + injection.client();
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
                findings.count("daemons.ended", namenode.process().isPresent() ? 0 : 1);
                yield killed(namenode);
            }
            case FAILOVER -> failedOver(false);
            case STOP_NAMENODE -> stopped(namenode);
            case KILL_CLIENT -> {
                findings.count("clients.ended", client.isAlive() ? 0 : 1);
                client.kill();
                yield client::restart;
            }
            case STOP_CLIENT -> {
                client.signal("STOP");
                yield () -> client.signal("CONT");
            }
            case CUT_LINK -> link(number, Link.State.CUT);
            case STALL_LINK -> link(number, Link.State.STALLED);
            case SLOW_LINK -> link(number, Link.State.SLOW);
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
                try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
                    admin.apply(PolicyDraw.text(injection.draw()));
                }
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

    private Action killed(Daemon daemon) throws IOException {
        daemon.kill();
        return () -> soak.restart(daemon);
    }

    private Action failedOver(boolean crash) throws IOException {
        HaCluster pair = soak.pair().orElseThrow();
        Daemon old = pair.namenode();
        pair.failOver(crash);
        return () -> soak.restart(old);
    }

    private Action stopped(Daemon daemon) throws IOException {
        soak.signal(daemon, "STOP");
        return () -> soak.signal(daemon, "CONT");
    }

    private Action link(int datanode, Link.State state) {
        soak.setLinks(datanode, state);
        return () -> soak.setLinks(datanode, Link.State.OPEN);
    }

    void turn(boolean on) throws IOException {
        try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
            admin.turn(on);
        }
    }
}
