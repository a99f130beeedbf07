package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.ContentOracle;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.writethrough.WriteThroughCopy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The writers, and the NameNode's work on replicas: blocks are written, appended to, truncated, recovered, deleted and
 * re-replicated. Writing ends at quiescence; re-replication goes on.
 */
public final class WriteLoad {

    public static final int LARGEST_BYTES = 12_000;

    private static final int MOST_BLOCKS = 14;
    private static final long MS = 1_000_000;

    private final SimulatedCluster simulatedCluster;
    private final Scheduler scheduler;
    private final SimulatedNamespace namespace;
    private final ContentOracle contentOracle;
    /** With very few blocks, moves of different epochs have the same block and number. */
    private final int mostBlocks;

    private final Random copies;

    WriteLoad(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
        this.scheduler = simulatedCluster.scheduler();
        this.namespace = simulatedCluster.namespace();
        this.contentOracle = simulatedCluster.contentOracle();
        this.copies = scheduler.randomFor("copies of blocks that are written");
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
        if (simulatedCluster.isQuiet()) {
            return;
        }
        if (simulatedCluster.active() != null) {
            switch (scheduler.random().nextInt(10)) {
                case 0, 1, 2 -> create();
                case 3, 4 -> withBlock(this::append);
                case 5 -> withBlock(this::truncate);
                case 6 -> withBlock((block, holders) -> recover(block, holders, block.lengthBytes));
                case 7 -> withBlock((block, holders) -> delete(block));
                default -> {
                    // A pause between writes, so that copies live long enough to be read.
                }
            }
        }
        scheduler.after(scheduler.between(5 * MS, 300 * MS), "writer", this::writeSomething);
    }

    private void withBlock(BiConsumer<SimulatedBlock, List<SimulatedDataNode>> what) {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        if (block == null || block.underConstruction) {
            return;
        }
        List<SimulatedDataNode> holders = new ArrayList<>();
        for (String name : block.holders) {
            SimulatedDataNode holder = simulatedCluster.host(name).dataNode;
            if (holder != null
                    && simulatedCluster.host(name).simulatedVolumes.finalised(block.id, block.stamp) != null) {
                holders.add(holder);
            }
        }
        if (!holders.isEmpty()) {
            what.accept(block, holders);
        }
    }

    private void create() {
        List<SimulatedDataNode> targets = simulatedCluster.someDataNodes(SimulatedNamespace.REPLICATION);
        if (targets.isEmpty() || namespace.all().size() >= mostBlocks) {
            return;
        }
        SimulatedBlock block = new SimulatedBlock(
                namespace.nextId(),
                namespace.nextStamp(),
                scheduler.oneIn(12) ? 1 : (int) scheduler.between(200, LARGEST_BYTES));
        block.underConstruction = true;
        namespace.add(block);
        byte[] content = contentOracle.create(block.id, block.stamp, block.lengthBytes);
        simulatedCluster.say("NameNode", "%s is written, %d bytes, on %s", block, content.length, targets);
        for (SimulatedDataNode target : targets) {
            target.host().gets(block.id);
            target.dataset().write(block.id, block.stamp, content);
            if (target == targets.get(0) && isCopiedAsWritten(target, block)) {
                copyAsWritten(target, block.id, block.stamp, content);
            } else {
                finaliseSoon(target, block.id, block.stamp);
            }
        }
        recoverLease(block, block.stamp);
    }

    private void finaliseSoon(SimulatedDataNode target, long blockId, long stamp) {
        target.process().after(scheduler.between(MS, 30 * MS), "finalise", () -> finalise(target, blockId, stamp));
    }

    /** Whether this stamp of the block became whole. */
    private static boolean finalise(SimulatedDataNode target, long blockId, long stamp) {
        Replica replica = target.host().simulatedVolumes.find(blockId);
        if (replica == null || replica.stamp != stamp || replica.finalised) {
            return false;
        }
        target.dataset().finalise(blockId);
        target.accessRecorder().written(SimulatedNamespace.POOL, blockId, replica.lengthBytes());
        target.reportReceived(replica);
        return true;
    }

    private static boolean isCopiedAsWritten(SimulatedDataNode first, SimulatedBlock block) {
        return first.writeThroughRules().wantCopy(SimulatedNamespace.POOL, SimulatedNamespace.path(block.id));
    }

    /** A DataNode fills a copy in memory with what it writes, piece by piece, and finalises the block then. */
    private void copyAsWritten(SimulatedDataNode first, long blockId, long stamp, byte[] content) {
        first.process().after(scheduler.between(0, 5 * MS), "write through", () -> {
            WriteThroughCopy copy =
                    first.writeThroughCopies().begin(SimulatedNamespace.POOL, blockId, content.length, true);
            try (copy) {
                // Of a quarter of them a piece is lost: they must be given up, and the block goes on.
                int lost = copies.nextInt(4) == 0 ? copies.nextInt(content.length) : -1;
                for (int at = 0; copy != null && at < content.length; ) {
                    int bytes = Math.min(content.length - at, (int) scheduler.between(1, LARGEST_BYTES));
                    if (lost < at || lost >= at + bytes) {
                        copy.write(at, ByteBuffer.wrap(content, at, bytes));
                    }
                    at += bytes;
                }
                if (finalise(first, blockId, stamp) && copy != null) {
                    copy.publish(
                            new BlockVersion(new BlockKey(SimulatedNamespace.POOL, blockId, stamp), content.length));
                }
            }
        });
    }

    private void append(SimulatedBlock block, List<SimulatedDataNode> holders) {
        int lengthBytes = (int) scheduler.between(block.lengthBytes + 1, block.lengthBytes + 2000);
        if (lengthBytes > LARGEST_BYTES) {
            return;
        }
        long stamp = restamp(block, lengthBytes);
        byte[] content = contentOracle.of(block.id, stamp);
        simulatedCluster.say("NameNode", "%s is appended to, %d bytes, on %s", block, lengthBytes, holders);
        for (SimulatedDataNode holder : holders) {
            change(holder, scheduler.between(0, 5 * MS), "append", () -> {
                Replica replica = holder.host().simulatedVolumes.find(block.id);
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

    /** Some time from now, and when nobody holds the DataNode's lock. */
    private static void change(SimulatedDataNode holder, long delayNs, String what, Runnable action) {
        holder.process().after(delayNs, what, () -> holder.dataset().locks().exclusively(what, action));
    }

    /** Another stamp and length; no replica counts until it has them. */
    private long restamp(SimulatedBlock block, int lengthBytes) {
        long before = block.stamp;
        block.stamp = namespace.nextStamp();
        contentOracle.change(block.id, before, block.stamp, lengthBytes);
        block.lengthBytes = lengthBytes;
        block.underConstruction = true;
        block.holders.clear();
        return block.stamp;
    }

    private void truncate(SimulatedBlock block, List<SimulatedDataNode> holders) {
        if (block.lengthBytes > 1) {
            recover(block, holders, (int) scheduler.between(1, block.lengthBytes - 1));
        }
    }

    private void recover(SimulatedBlock block, List<SimulatedDataNode> holders, int lengthBytes) {
        long stamp = restamp(block, lengthBytes);
        byte[] content = contentOracle.of(block.id, stamp);
        simulatedCluster.say("NameNode", "%s is recovered, %d bytes, on %s", block, lengthBytes, holders);
        for (SimulatedDataNode holder : holders) {
            change(holder, scheduler.between(0, 10 * MS), "recover", () -> {
                Replica replica = holder.host().simulatedVolumes.find(block.id);
                if (replica != null && replica.stamp < stamp && block.stamp == stamp) {
                    holder.dataset().recover(block.id, stamp, content);
                    holder.reportReceived(replica);
                }
            });
        }
        recoverLease(block, stamp);
    }

    /** If nobody finalised that stamp in time: takes the longest complete replica, or gives the block up. */
    private void recoverLease(SimulatedBlock block, long stamp) {
        scheduler.after(1500 * MS, "lease recovery", () -> {
            if (block.deleted || !block.underConstruction || block.stamp != stamp) {
                return;
            }
            Replica best = null;
            SimulatedDataNode primary = null;
            for (Host host : simulatedCluster.hosts()) {
                Replica replica = host.simulatedVolumes.find(block.id);
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
        byte[] wanted = contentOracle.of(replica.blockId, stamp);
        return bytes.length <= wanted.length && Arrays.equals(bytes, 0, bytes.length, wanted, 0, bytes.length);
    }

    private void delete(SimulatedBlock block) {
        simulatedCluster.say("NameNode", "%s is deleted", block);
        namespace.delete(block);
        for (Host host : simulatedCluster.hosts()) {
            invalidateSoon(host, block.id);
        }
    }

    /** Tells a DataNode to delete its replica, unless the replica counts again when the message arrives. */
    void invalidateSoon(Host host, long blockId) {
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode == null) {
            return;
        }
        dataNode.process().after(scheduler.between(MS, 300 * MS), "invalidate", () -> {
            Replica replica = host.simulatedVolumes.find(blockId);
            SimulatedBlock block = namespace.find(blockId);
            boolean wanted = block != null
                    && (block.holders.contains(host.name) || (replica != null && replica.stamp == block.stamp));
            if (replica != null && !wanted) {
                dataNode.process().say("deletes %s", replica);
                dataNode.dataset().invalidate(blockId);
            }
        });
    }

    /** A reader or a copy found a replica corrupt: it no longer counts, and is deleted once another replica counts. */
    void corrupt(Host host, long blockId) {
        SimulatedBlock block = namespace.find(blockId);
        Replica replica = host.simulatedVolumes.find(blockId);
        if (block == null || replica == null || !block.holders.contains(host.name) || block.holders.size() < 2) {
            return;
        }
        block.holders.remove(host.name);
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.process().say("gives up the corrupt %s", replica);
            dataNode.dataset().invalidate(blockId);
        }
    }

    private void replicate() {
        if (simulatedCluster.active() != null) {
            for (SimulatedBlock block : namespace.all()) {
                if (!block.underConstruction && block.holders.size() < SimulatedNamespace.REPLICATION) {
                    replicate(block);
                } else if (block.holders.size() > SimulatedNamespace.REPLICATION) {
                    String excess = block.holders.iterator().next();
                    block.holders.remove(excess);
                    dropExcess(simulatedCluster.host(excess), block.id);
                }
            }
        }
        scheduler.after(300 * MS, "replication", this::replicate);
    }

    private void dropExcess(Host host, long blockId) {
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode != null) {
            dataNode.dataset().invalidate(blockId);
        }
    }

    private void replicate(SimulatedBlock block) {
        SimulatedDataNode source = null;
        for (String name : block.holders) {
            source = simulatedCluster.host(name).dataNode;
        }
        SimulatedDataNode target = emptyTarget(block);
        if (source == null || target == null) {
            return;
        }
        Replica from = source.host().simulatedVolumes.finalised(block.id, block.stamp);
        if (from == null || source.host().simulatedVolumes.isCorrupt(from)) {
            return;
        }
        simulatedCluster.say("NameNode", "%s is replicated from %s to %s", block, source, target);
        target.host().gets(block.id);
        target.dataset().write(block.id, block.stamp, from.data.content());
        finaliseSoon(target, block.id, block.stamp);
    }

    private @Nullable SimulatedDataNode emptyTarget(SimulatedBlock block) {
        for (Host host : simulatedCluster.hosts()) {
            if (host.dataNode != null && host.simulatedVolumes.find(block.id) == null) {
                return host.dataNode;
            }
        }
        return null;
    }
}
