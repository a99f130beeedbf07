package io.terrace.bench.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What writers do, and what the NameNode does about replicas: blocks are written, appended to, truncated, recovered,
 * deleted, replicated again. Ends with the storm; re-replication goes on until all is quiet.
 */
final class Workload {

    private static final int MOST_BLOCKS = 14;
    static final int LARGEST_BYTES = 12_000;
    private static final long MS = 1_000_000;

    private final World world;
    private final Scheduler scheduler;
    private final Namespace namespace;
    private final Contents contents;
    /** With very few, moves of different epochs are moves of the same block under the same number. */
    private final int mostBlocks;

    Workload(World world) {
        this.world = world;
        this.scheduler = world.scheduler();
        this.namespace = world.namespace();
        this.contents = world.contents();
        this.mostBlocks = scheduler.oneIn(4) ? (int) scheduler.between(1, 2) : MOST_BLOCKS;
    }

    void start() {
        for (int i = 0; i < 6; i++) {
            create();
        }
        scheduler.after(scheduler.between(MS, 100 * MS), "writer", this::writeSomething);
        scheduler.after(300 * MS, "replication", this::replicate);
    }

    private void writeSomething() {
        if (world.isQuiet()) {
            return;
        }
        if (world.active() != null) {
            switch (scheduler.random().nextInt(10)) {
                case 0, 1, 2 -> create();
                case 3, 4 -> withBlock(this::append);
                case 5 -> withBlock(this::truncate);
                case 6 -> withBlock((block, holders) -> recover(block, holders, block.lengthBytes));
                case 7 -> withBlock((block, holders) -> delete(block));
                default -> {
                    // A pause between writes, in which copies live long enough to be read.
                }
            }
        }
        scheduler.after(scheduler.between(5 * MS, 300 * MS), "writer", this::writeSomething);
    }

    private void withBlock(BiConsumer<Block, List<DataNode>> what) {
        Block block = world.anyBlock();
        if (block == null || block.underConstruction) {
            return;
        }
        List<DataNode> holders = new ArrayList<>();
        for (String name : block.holders) {
            DataNode holder = world.host(name).dataNode;
            if (holder != null && world.host(name).disks.finalised(block.id, block.stamp) != null) {
                holders.add(holder);
            }
        }
        if (!holders.isEmpty()) {
            what.accept(block, holders);
        }
    }

    private void create() {
        List<DataNode> targets = world.someDataNodes(Namespace.REPLICATION);
        if (targets.isEmpty() || namespace.all().size() >= mostBlocks) {
            return;
        }
        Block block = new Block(
                namespace.nextId(),
                namespace.nextStamp(),
                scheduler.oneIn(12) ? 1 : (int) scheduler.between(200, LARGEST_BYTES));
        block.underConstruction = true;
        namespace.add(block);
        byte[] content = contents.create(block.id, block.stamp, block.lengthBytes);
        world.say("NameNode", "%s is written, %d bytes, on %s", block, content.length, targets);
        for (DataNode target : targets) {
            target.dataset().write(block.id, block.stamp, content);
            finaliseSoon(target, block.id, block.stamp);
        }
        recoverLease(block, block.stamp);
    }

    private void finaliseSoon(DataNode target, long blockId, long stamp) {
        target.process().after(scheduler.between(MS, 30 * MS), "finalise", () -> {
            Replica replica = target.host().disks.find(blockId);
            if (replica != null && replica.stamp == stamp && !replica.finalised) {
                target.dataset().finalise(blockId);
                target.accesses().written(Namespace.POOL, blockId, replica.lengthBytes());
                target.reportReceived(replica);
            }
        });
    }

    private void append(Block block, List<DataNode> holders) {
        int lengthBytes = (int) scheduler.between(block.lengthBytes + 1, block.lengthBytes + 2000);
        if (lengthBytes > LARGEST_BYTES) {
            return;
        }
        long stamp = restamp(block, lengthBytes);
        byte[] content = contents.of(block.id, stamp);
        world.say("NameNode", "%s is appended to, %d bytes, on %s", block, lengthBytes, holders);
        for (DataNode holder : holders) {
            holder.process().after(scheduler.between(0, 5 * MS), "append", () -> {
                Replica replica = holder.host().disks.find(block.id);
                if (replica == null || replica.stamp >= stamp || block.stamp != stamp) {
                    return;
                }
                holder.dataset().beginAppend(block.id, stamp);
                holder.process().after(scheduler.between(0, 10 * MS), "append bytes", () -> {
                    if (replica.stamp == stamp) {
                        holder.dataset().lengthen(block.id, content);
                        finaliseSoon(holder, block.id, stamp);
                    }
                });
            });
        }
        recoverLease(block, stamp);
    }

    /** Another stamp and length; no replica counts until it was brought up to it. */
    private long restamp(Block block, int lengthBytes) {
        long before = block.stamp;
        block.stamp = namespace.nextStamp();
        contents.change(block.id, before, block.stamp, lengthBytes);
        block.lengthBytes = lengthBytes;
        block.underConstruction = true;
        block.holders.clear();
        return block.stamp;
    }

    private void truncate(Block block, List<DataNode> holders) {
        if (block.lengthBytes > 1) {
            recover(block, holders, (int) scheduler.between(1, block.lengthBytes - 1));
        }
    }

    private void recover(Block block, List<DataNode> holders, int lengthBytes) {
        long stamp = restamp(block, lengthBytes);
        byte[] content = contents.of(block.id, stamp);
        world.say("NameNode", "%s is recovered, %d bytes, on %s", block, lengthBytes, holders);
        for (DataNode holder : holders) {
            holder.process().after(scheduler.between(0, 10 * MS), "recover", () -> {
                Replica replica = holder.host().disks.find(block.id);
                if (replica != null && replica.stamp < stamp && block.stamp == stamp) {
                    holder.dataset().recover(block.id, stamp, content);
                    holder.reportReceived(replica);
                }
            });
        }
        recoverLease(block, stamp);
    }

    /** If nobody finalised that stamp in time: takes the longest replica that is whole, or gives the block up. */
    private void recoverLease(Block block, long stamp) {
        scheduler.after(1500 * MS, "lease recovery", () -> {
            if (block.deleted || !block.underConstruction || block.stamp != stamp) {
                return;
            }
            Replica best = null;
            DataNode primary = null;
            for (Host host : world.hosts()) {
                Replica replica = host.disks.find(block.id);
                if (replica != null
                        && host.dataNode != null
                        && isPrefix(replica, stamp)
                        && (best == null || replica.lengthBytes() > best.lengthBytes())) {
                    best = replica;
                    primary = host.dataNode;
                }
            }
            if (best == null || primary == null || best.lengthBytes() == 0) {
                delete(block);
            } else {
                recover(block, List.of(primary), best.lengthBytes());
            }
        });
    }

    private boolean isPrefix(Replica replica, long stamp) {
        byte[] bytes = replica.data.content();
        byte[] wanted = contents.of(replica.blockId, stamp);
        return bytes.length <= wanted.length && Arrays.equals(bytes, 0, bytes.length, wanted, 0, bytes.length);
    }

    private void delete(Block block) {
        world.say("NameNode", "%s is deleted", block);
        namespace.delete(block);
        for (Host host : world.hosts()) {
            invalidateSoon(host, block.id);
        }
    }

    /** Tells a DataNode to delete its replica, unless it counts again when the word arrives. */
    void invalidateSoon(Host host, long blockId) {
        DataNode dataNode = host.dataNode;
        if (dataNode == null) {
            return;
        }
        dataNode.process().after(scheduler.between(MS, 300 * MS), "invalidate", () -> {
            Replica replica = host.disks.find(blockId);
            Block block = namespace.find(blockId);
            boolean wanted = block != null
                    && (block.holders.contains(host.name) || (replica != null && replica.stamp == block.stamp));
            if (replica != null && !wanted) {
                dataNode.process().say("deletes %s", replica);
                dataNode.dataset().invalidate(blockId);
            }
        });
    }

    /** A reader or a copy found a replica corrupt: it does not count, and goes once another one does. */
    void corrupt(Host host, long blockId) {
        Block block = namespace.find(blockId);
        Replica replica = host.disks.find(blockId);
        if (block == null || replica == null || !block.holders.contains(host.name) || block.holders.size() < 2) {
            return;
        }
        block.holders.remove(host.name);
        DataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.process().say("gives up the corrupt %s", replica);
            dataNode.dataset().invalidate(blockId);
        }
    }

    private void replicate() {
        if (world.active() != null) {
            for (Block block : namespace.all()) {
                if (!block.underConstruction && block.holders.size() < Namespace.REPLICATION) {
                    replicate(block);
                } else if (block.holders.size() > Namespace.REPLICATION) {
                    String excess = block.holders.iterator().next();
                    block.holders.remove(excess);
                    dropExcess(world.host(excess), block.id);
                }
            }
        }
        scheduler.after(300 * MS, "replication", this::replicate);
    }

    private void dropExcess(Host host, long blockId) {
        DataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.dataset().invalidate(blockId);
        }
    }

    private void replicate(Block block) {
        DataNode source = null;
        for (String name : block.holders) {
            source = world.host(name).dataNode;
        }
        DataNode target = emptyTarget(block);
        if (source == null || target == null) {
            return;
        }
        Replica from = source.host().disks.finalised(block.id, block.stamp);
        if (from == null || source.host().disks.isCorrupt(from)) {
            return;
        }
        world.say("NameNode", "%s is replicated from %s to %s", block, source, target);
        target.dataset().write(block.id, block.stamp, from.data.content());
        finaliseSoon(target, block.id, block.stamp);
    }

    private @Nullable DataNode emptyTarget(Block block) {
        for (Host host : world.hosts()) {
            if (host.dataNode != null && host.disks.find(block.id) == null) {
                return host.dataNode;
            }
        }
        return null;
    }
}
