package io.terrace.bench.simulation;

import io.terrace.datanode.Extent;
import java.util.List;

/** What goes wrong: processes die, stop and come back, hosts are parted, media rot and fail, memory is full, operators change their minds. */
final class Storm {

    private static final long MS = 1_000_000;

    private final World world;
    private final Scheduler scheduler;
    private final long calmestNs;
    /** NameNodes that cannot agree for long who is active. */
    private final boolean flapping;

    Storm(World world) {
        this.flapping = world.scheduler().oneIn(3);
        this.world = world;
        this.scheduler = world.scheduler();
        this.calmestNs = scheduler.between(100 * MS, 1_500 * MS);
    }

    void start() {
        scheduler.after(scheduler.between(0, calmestNs), "storm", this::strike);
    }

    /** Everything that was broken is mended. */
    void end() {
        for (Host host : world.hosts()) {
            host.tmpFs.fillBy(0);
            host.disks.slow(0);
            for (int volume = 0; volume < Disks.VOLUMES; volume++) {
                host.disks.failing(volume, false);
            }
            world.startDataNode(host);
            resume(host);
        }
        world.namespace().safeMode(false);
        world.operator().end();
        world.clients().forEach(client -> client.process().resume());
        for (int i = 0; i < World.NAMENODES; i++) {
            world.nameNode(i).process().resume();
            if (!world.nameNode(i).process().isAlive()) {
                world.startNameNode(i);
            }
        }
        if (!world.nameNode(world.activeIndex()).placement().isActive()) {
            world.failOver(world.activeIndex());
        }
    }

    private static void resume(Host host) {
        DataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.process().resume();
        }
    }

    private void strike() {
        if (world.isQuiet()) {
            return;
        }
        switch (scheduler.random().nextInt(21)) {
            case 0 -> endDataNode();
            case 1 -> stopDataNode();
            case 2, 3 -> failOver();
            case 4 -> killNameNode();
            case 5, 6 -> stopClient();
            case 7 -> killClient();
            case 8 -> part();
            case 9, 10 -> rot();
            case 11 -> failVolume();
            case 12 -> fillTmpFs();
            case 13 -> directive();
            case 17 -> slowDisks();
            case 14, 15, 16 -> world.operator().act();
            case 18, 19 -> rotCopy();
            default -> safeMode();
        }
        scheduler.after(scheduler.between(0, 2 * calmestNs), "storm", this::strike);
    }

    private Host anyHost() {
        List<Host> hosts = world.hosts();
        return hosts.get(scheduler.random().nextInt(hosts.size()));
    }

    private void endDataNode() {
        Host host = anyHost();
        DataNode dataNode = host.dataNode;
        if (dataNode == null) {
            return;
        }
        if (scheduler.oneIn(3)) {
            dataNode.shutDown();
        } else {
            dataNode.kill();
        }
        scheduler.after(800 * MS, "dead DataNode", () -> {
            if (host.dataNode == null) {
                world.namespace().lost(host.name);
            }
        });
        if (scheduler.oneIn(2)) {
            host.tmpFs.rotLeftover();
        }
        scheduler.after(scheduler.between(10 * MS, 2_000 * MS), "DataNode starts", () -> world.startDataNode(host));
    }

    private void stopDataNode() {
        DataNode dataNode = anyHost().dataNode;
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
        int other = 1 - world.activeIndex();
        if (world.nameNode(other).process().isAlive()) {
            if (scheduler.oneIn(3)) {
                stop(world.nameNode(world.activeIndex()).process(), 1_000 * MS);
            }
            world.failOver(other);
            if (flapping || scheduler.oneIn(3)) {
                scheduler.after(scheduler.between(0, 600 * MS), "fail back", this::failBack);
            }
        }
    }

    /** The active NameNode loses its place and has it again at once, and numbers its moves from one as in its last epoch. */
    private void regain() {
        if (!world.isQuiet() && world.active() != null) {
            world.failOver(world.activeIndex());
            if (flapping || scheduler.oneIn(2)) {
                scheduler.after(scheduler.between(100 * MS, 900 * MS), "regain", this::regain);
            }
        }
    }

    private void failBack() {
        int other = 1 - world.activeIndex();
        if (!world.isQuiet() && world.nameNode(other).process().isAlive()) {
            world.failOver(other);
            if (flapping && scheduler.oneIn(2)) {
                scheduler.after(scheduler.between(0, 600 * MS), "fail back", this::failBack);
            }
        }
    }

    private void killNameNode() {
        int index = scheduler.random().nextInt(World.NAMENODES);
        NameNode victim = world.nameNode(index);
        if (!victim.process().isAlive()) {
            return;
        }
        victim.process().kill();
        if (index == world.activeIndex() && world.nameNode(1 - index).process().isAlive()) {
            world.failOver(1 - index);
        }
        scheduler.after(scheduler.between(10 * MS, 1_500 * MS), "NameNode starts", () -> {
            if (!world.nameNode(index).process().isAlive()) {
                world.startNameNode(index);
                if (world.active() == null) {
                    world.failOver(index);
                }
            }
        });
    }

    private Client anyClient() {
        return world.clients().get(scheduler.random().nextInt(world.clients().size()));
    }

    private void stopClient() {
        stop(anyClient().process(), 4_000 * MS);
    }

    private void killClient() {
        int index = scheduler.random().nextInt(world.clients().size());
        world.clients().get(index).process().kill();
        world.startClient(index);
    }

    private void part() {
        String host = scheduler.oneIn(3) ? "nn" + scheduler.random().nextInt(World.NAMENODES) : anyHost().name;
        world.say("world", "%s is cut off", host);
        world.network().part(host);
        scheduler.after(scheduler.between(10 * MS, 3_000 * MS), "rejoin", () -> world.network()
                .rejoin(host));
    }

    /** Never all replicas of a block: such loss would be nobody's fault. */
    private void rot() {
        Block block = world.anyBlock();
        if (block == null || block.underConstruction || block.holders.size() < 2) {
            return;
        }
        Replica victim = null;
        for (String name : block.holders) {
            Disks disks = world.host(name).disks;
            Replica replica = disks.finalised(block.id, block.stamp);
            if (replica == null || disks.isCorrupt(replica)) {
                return;
            }
            victim = replica;
        }
        if (victim != null) {
            world.say("world", "a bit of %s flips", victim);
            world.host(block.holders.stream().reduce((a, b) -> b).orElseThrow())
                    .disks
                    .rot(victim);
        }
    }

    /** Memory rots as disks do, only that nobody notices before a scrub does. */
    private void rotCopy() {
        DataNode dataNode = anyHost().dataNode;
        if (dataNode == null) {
            return;
        }
        List<Extent> live = dataNode.tier().liveExtents();
        if (!live.isEmpty()) {
            dataNode.watch().rots(live.get(scheduler.random().nextInt(live.size())), scheduler);
        }
    }

    private void failVolume() {
        Host host = anyHost();
        int volume = scheduler.random().nextInt(Disks.VOLUMES);
        host.disks.failing(volume, true);
        world.say("world", "volume %d of %s fails", volume, host);
        scheduler.after(scheduler.between(0, 300 * MS), "volume is removed", () -> {
            DataNode dataNode = host.dataNode;
            if (dataNode != null && scheduler.oneIn(2) && host.disks.isFailing(volume)) {
                dataNode.dataset().removeVolume(volume);
                world.namespace().recount(host.name, host.disks.finalised());
            }
            host.disks.failing(volume, false);
        });
    }

    private void slowDisks() {
        Host host = anyHost();
        host.disks.slow(scheduler.between(20 * MS, 900 * MS));
        world.say("world", "the disks of %s are slow", host);
        scheduler.after(scheduler.between(100 * MS, 3_000 * MS), "disks are fast", () -> host.disks.slow(0));
    }

    private void fillTmpFs() {
        Host host = anyHost();
        host.tmpFs.fillBy(scheduler.between(world.capacityBytes(), 2 * world.capacityBytes()));
        world.say("world", "others fill the tmpfs of %s", host);
        scheduler.after(scheduler.between(10 * MS, 1_000 * MS), "tmpfs is emptied", () -> host.tmpFs.fillBy(0));
    }

    private void directive() {
        Block block = world.anyBlock();
        DataNode dataNode = anyHost().dataNode;
        if (block == null) {
            return;
        }
        if (dataNode != null) {
            world.say("world", "a directive asks %s for %s", dataNode, block);
            dataNode.pin(block.id);
            dataNode.process().after(scheduler.between(10 * MS, 4_000 * MS), "uncache", () -> dataNode.unpin(block.id));
        }
    }

    private void safeMode() {
        world.namespace().safeMode(true);
        scheduler.after(scheduler.between(10 * MS, 800 * MS), "safe mode ends", () -> world.namespace()
                .safeMode(false));
    }
}
