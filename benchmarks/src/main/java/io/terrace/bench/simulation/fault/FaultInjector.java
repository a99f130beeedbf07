package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.check.ClusterChecks;
import io.terrace.bench.simulation.cluster.Host;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedClient;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.SimulatedVolumes;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.SeedMix;
import io.terrace.datanode.extent.Extent;
import java.util.List;

/**
 * Injects faults: processes die, stop and resume, hosts are partitioned, disks and memory corrupt data or fail, tmpfs
 * is full, operators change settings.
 */
public final class FaultInjector {

    private static final long MS = 1_000_000;
    private static final int SLOW_EPOCHS_IN = 4;

    private final SimulatedCluster simulatedCluster;
    private final ClusterChecks checks;
    private final Scheduler scheduler;
    private final long longestPauseNs;
    private final SeedMix mix;
    /** Whether the NameNodes fail over again and again. */
    private final boolean flapping;
    /** Whether disks are slow when the NameNode begins another epoch, so that results of the last one are on their way. */
    private final boolean slowEpochs;

    public FaultInjector(SimulatedCluster simulatedCluster, ClusterChecks checks, SeedMix mix) {
        this.mix = mix;
        this.checks = checks;
        this.flapping = simulatedCluster.scheduler().oneIn(3);
        this.slowEpochs =
                simulatedCluster.scheduler().randomFor("disks as epochs begin").nextInt(SLOW_EPOCHS_IN) == 0;
        this.simulatedCluster = simulatedCluster;
        this.scheduler = simulatedCluster.scheduler();
        this.longestPauseNs =
                mix.longestPauseMs() > 0 ? mix.longestPauseMs() * MS : scheduler.between(100 * MS, 1_500 * MS);
    }

    public void start() {
        scheduler.after(scheduler.between(0, longestPauseNs), "fault", this::injectFault);
    }

    /** Ends all faults. */
    public void end() {
        for (Host host : simulatedCluster.hosts()) {
            host.simulatedTmpfs.fillBy(0);
            host.simulatedVolumes.slow(0);
            for (int volume = 0; volume < host.simulatedVolumes.count(); volume++) {
                host.simulatedVolumes.failing(volume, false);
            }
            simulatedCluster.startDataNode(host);
            resume(host);
        }
        simulatedCluster.namespace().safeMode(false);
        simulatedCluster.operator().end();
        simulatedCluster.clients().forEach(client -> client.process().resume());
        for (int i = 0; i < SimulatedCluster.NAMENODES; i++) {
            simulatedCluster.nameNode(i).process().resume();
            if (!simulatedCluster.nameNode(i).process().isAlive()) {
                simulatedCluster.startNameNode(i);
            }
        }
        if (!simulatedCluster
                .nameNode(simulatedCluster.activeIndex())
                .placement()
                .isActive()) {
            simulatedCluster.failOver(simulatedCluster.activeIndex());
        }
    }

    private static void resume(Host host) {
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.process().resume();
        }
    }

    private void injectFault() {
        if (simulatedCluster.isQuiet()) {
            return;
        }
        switch (mix.fault(scheduler.random())) {
            case 0 -> endDataNode();
            case 1 -> stopDataNode();
            case 2, 3 -> failOver();
            case 4 -> killNameNode();
            case 5, 6 -> stopClient();
            case 7 -> killClient();
            case 8 -> partition();
            case 9, 10 -> corruptReplica();
            case 11 -> failVolume();
            case 12 -> fillTmpFs();
            case 13 -> directive();
            case 17 -> slowDisks(anyHost());
            case 14, 15, 16 -> simulatedCluster.operator().act();
            case 18, 19 -> corruptCopy();
            case 20, 21 -> simulatedCluster.crash(anyHost(), true);
            default -> safeMode();
        }
        scheduler.after(scheduler.between(0, 2 * longestPauseNs), "fault", this::injectFault);
    }

    private Host anyHost() {
        List<Host> hosts = simulatedCluster.hosts();
        return hosts.get(scheduler.random().nextInt(hosts.size()));
    }

    private void endDataNode() {
        Host host = anyHost();
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode == null) {
            return;
        }
        if (scheduler.oneIn(3)) {
            dataNode.shutDown();
        } else {
            dataNode.kill();
        }
        if (scheduler.oneIn(2)) {
            host.simulatedTmpfs.rotLeftover();
        }
        simulatedCluster.startLater(host);
    }

    private void stopDataNode() {
        SimulatedDataNode dataNode = anyHost().dataNode;
        if (dataNode != null) {
            stop(dataNode.process(), 1_500 * MS);
        }
    }

    private void stop(OsProcess process, long mostNs) {
        if (process.isAlive() && !process.isStopped()) {
            process.stop();
            scheduler.after(scheduler.between(MS, mostNs), "SIGCONT", process::resume);
        }
    }

    private void failOver() {
        if (scheduler.oneIn(4)) {
            regain();
            return;
        }
        int other = 1 - simulatedCluster.activeIndex();
        if (simulatedCluster.nameNode(other).process().isAlive()) {
            if (scheduler.oneIn(3)) {
                stop(simulatedCluster.nameNode(simulatedCluster.activeIndex()).process(), 1_000 * MS);
            }
            simulatedCluster.failOver(other);
            if (flapping || scheduler.oneIn(3)) {
                scheduler.after(scheduler.between(0, 600 * MS), "fail back", this::failBack);
            }
        }
    }

    /**
     * The active NameNode becomes standby and active again at once, and numbers its moves from one as in its last
     * epoch.
     */
    private void regain() {
        if (!simulatedCluster.isQuiet() && simulatedCluster.active() != null) {
            if (slowEpochs) {
                simulatedCluster.hosts().forEach(this::slowDisks);
            }
            simulatedCluster.failOver(simulatedCluster.activeIndex());
            if (slowEpochs ? !scheduler.oneIn(5) : flapping || scheduler.oneIn(2)) {
                scheduler.after(scheduler.between(100 * MS, 900 * MS), "regain", this::regain);
            }
        }
    }

    private void failBack() {
        int other = 1 - simulatedCluster.activeIndex();
        if (!simulatedCluster.isQuiet()
                && simulatedCluster.nameNode(other).process().isAlive()) {
            simulatedCluster.failOver(other);
            if (flapping && scheduler.oneIn(2)) {
                scheduler.after(scheduler.between(0, 600 * MS), "fail back", this::failBack);
            }
        }
    }

    private void killNameNode() {
        int index = scheduler.random().nextInt(SimulatedCluster.NAMENODES);
        SimulatedNameNode victim = simulatedCluster.nameNode(index);
        if (!victim.process().isAlive()) {
            return;
        }
        victim.process().kill();
        if (index == simulatedCluster.activeIndex()
                && simulatedCluster.nameNode(1 - index).process().isAlive()) {
            simulatedCluster.failOver(1 - index);
        }
        scheduler.after(scheduler.between(10 * MS, 1_500 * MS), "NameNode starts", () -> {
            if (!simulatedCluster.nameNode(index).process().isAlive()) {
                simulatedCluster.startNameNode(index);
                if (simulatedCluster.active() == null) {
                    simulatedCluster.failOver(index);
                }
            }
        });
    }

    private SimulatedClient anyClient() {
        return simulatedCluster
                .clients()
                .get(scheduler.random().nextInt(simulatedCluster.clients().size()));
    }

    private void stopClient() {
        stop(anyClient().process(), 4_000 * MS);
    }

    private void killClient() {
        int index = scheduler.random().nextInt(simulatedCluster.clients().size());
        simulatedCluster.clients().get(index).process().kill();
        simulatedCluster.startClient(index);
    }

    private void partition() {
        String host =
                scheduler.oneIn(3) ? "nn" + scheduler.random().nextInt(SimulatedCluster.NAMENODES) : anyHost().name;
        simulatedCluster.say("world", "%s is cut off", host);
        simulatedCluster.network().cutOff(host);
        scheduler.after(scheduler.between(10 * MS, 3_000 * MS), "rejoin", () -> simulatedCluster
                .network()
                .rejoin(host));
    }

    /** Never corrupts all replicas of a block, which no code could survive. */
    private void corruptReplica() {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        if (block == null || block.underConstruction || block.holders.size() < 2) {
            return;
        }
        Replica victim = null;
        for (String name : block.holders) {
            SimulatedVolumes simulatedVolumes = simulatedCluster.host(name).simulatedVolumes;
            Replica replica = simulatedVolumes.finalised(block.id, block.stamp);
            if (replica == null || simulatedVolumes.isCorrupt(replica) || simulatedVolumes.hasOtherFiles(block.id)) {
                return;
            }
            victim = replica;
        }
        if (victim != null) {
            simulatedCluster.say("world", "a bit of %s flips", victim);
            simulatedCluster
                    .host(block.holders.stream().reduce((a, b) -> b).orElseThrow())
                    .simulatedVolumes
                    .rot(victim);
        }
    }

    /** Flips a bit of a live copy, which only a scrub can notice. */
    private void corruptCopy() {
        SimulatedDataNode dataNode = anyHost().dataNode;
        if (dataNode == null) {
            return;
        }
        List<Extent> live = dataNode.tier().liveExtents();
        if (!live.isEmpty()) {
            checks.watch(dataNode).flipBit(live.get(scheduler.random().nextInt(live.size())), scheduler);
        }
    }

    private void failVolume() {
        Host host = anyHost();
        int volume = scheduler.random().nextInt(host.simulatedVolumes.count());
        host.simulatedVolumes.failing(volume, true);
        simulatedCluster.say("world", "volume %d of %s fails", volume, host);
        scheduler.after(scheduler.between(0, 300 * MS), "volume is removed", () -> {
            SimulatedDataNode dataNode = host.dataNode;
            if (dataNode != null && scheduler.oneIn(2) && host.simulatedVolumes.isFailing(volume)) {
                dataNode.dataset().removeVolume(volume, () -> simulatedCluster
                        .namespace()
                        .recount(host.name, host.simulatedVolumes.finalised()));
            }
            host.simulatedVolumes.failing(volume, false);
        });
    }

    private void slowDisks(Host host) {
        host.simulatedVolumes.slow(scheduler.between(20 * MS, 900 * MS));
        simulatedCluster.say("world", "the disks of %s are slow", host);
        scheduler.after(scheduler.between(100 * MS, 3_000 * MS), "disks are fast", () -> host.simulatedVolumes.slow(0));
    }

    private void fillTmpFs() {
        Host host = anyHost();
        host.simulatedTmpfs.fillBy(
                scheduler.between(simulatedCluster.capacityBytes(), 2 * simulatedCluster.capacityBytes()));
        simulatedCluster.say("world", "others fill the tmpfs of %s", host);
        scheduler.after(
                scheduler.between(10 * MS, 1_000 * MS), "tmpfs is emptied", () -> host.simulatedTmpfs.fillBy(0));
    }

    private void directive() {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        SimulatedDataNode dataNode = anyHost().dataNode;
        if (block == null) {
            return;
        }
        if (dataNode != null) {
            simulatedCluster.say("world", "a directive asks %s for %s", dataNode, block);
            dataNode.pin(block.id);
            dataNode.process().after(scheduler.between(10 * MS, 4_000 * MS), "uncache", () -> dataNode.unpin(block.id));
        }
    }

    private void safeMode() {
        simulatedCluster.namespace().safeMode(true);
        scheduler.after(scheduler.between(10 * MS, 800 * MS), "safe mode ends", () -> simulatedCluster
                .namespace()
                .safeMode(false));
    }
}
