package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.client.LocalGrant;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One read of a client: through a grant if there is one, else as a stock client. The bytes are checked against the
 * oracle.
 */
final class SimulatedRead {

    private static final long MS = 1_000_000;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedClient client;
    private final Scheduler scheduler;

    SimulatedRead(SimulatedCluster simulatedCluster, SimulatedClient client) {
        this.simulatedCluster = simulatedCluster;
        this.client = client;
        this.scheduler = simulatedCluster.scheduler();
    }

    void run() {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        if (block == null) {
            return;
        }
        // The client got this stamp from the NameNode when it opened the file. The block may be newer by now.
        BlockKey key = new BlockKey(SimulatedNamespace.POOL, block.id, stampSeen(block));
        byte[] wanted = simulatedCluster.contentOracle().of(key.blockId(), key.generationStamp());
        int position = scheduler.random().nextInt(wanted.length);
        int length = 1 + scheduler.random().nextInt(wanted.length - position);
        if (scheduler.oneIn(5)) {
            stock(key);
        } else {
            client.grant(key, held -> throughGrant(key, wanted, position, length, held));
        }
    }

    /** The stamp that a client knows: mostly the current one, sometimes an earlier one. */
    private long stampSeen(SimulatedBlock block) {
        List<Long> stamps = simulatedCluster.contentOracle().stamps(block.id);
        return scheduler.oneIn(6) ? stamps.get(scheduler.random().nextInt(stamps.size())) : block.stamp;
    }

    private void throughGrant(BlockKey key, byte[] wanted, int position, int length, @Nullable LocalGrant held) {
        if (held == null || held.lengthBytes() < position + length) {
            stock(key);
            return;
        }
        byte[] got = new byte[length];
        SimulatedDataNode giver = client.server();
        MemoryFile file = client.file(held.id());
        boolean whole;
        try {
            held.countReader();
            whole = held.read(position, got, 0, length);
        } catch (IOException e) {
            whole = false;
        }
        if (whole) {
            simulatedCluster.readByGrant();
            if (giver != null) {
                simulatedCluster.observer().used(client, giver, held.id());
            }
            right(key, wanted, position, got, file, "grant " + held.id());
        } else {
            client.process().say("falls back for %s", key);
            stock(key);
        }
    }

    /** A client that does not verify gets the bytes as they are: right but for a flipped bit in this very file. */
    private void right(
            BlockKey key, byte[] wanted, int position, byte[] got, @Nullable MemoryFile file, String through) {
        Violation.unless(
                Arrays.equals(wanted, position, position + got.length, got, 0, got.length)
                        || (file != null && file.isRotOf(wanted, position, got)),
                Invariant.RIGHT_BYTES,
                "%s read other bytes at %d of %s through %s",
                client.process().name(),
                position,
                key,
                through);
        client.process().say("read %d bytes at %d of %s through %s", got.length, position, key, through);
    }

    /** A DataNode with a finalised replica of exactly that block and stamp; that of the client's host if it has one. */
    private @Nullable SimulatedDataNode holder(BlockKey key) {
        SimulatedDataNode found = null;
        for (Host host : simulatedCluster.hosts()) {
            if (host.dataNode != null
                    && host.simulatedVolumes.finalised(key.blockId(), key.generationStamp()) != null) {
                if (host == client.host()) {
                    return host.dataNode;
                }
                found = host.dataNode;
            }
        }
        return found;
    }

    /** Over the DataNode's socket or with a descriptor that it passed; from memory where it has a copy. */
    private void stock(BlockKey key) {
        SimulatedDataNode dataNode = holder(key);
        if (dataNode == null) {
            return;
        }
        boolean passed = dataNode.host() == client.host() && scheduler.oneIn(3);
        Extent extent = dataNode.tier().mayLend(key.blockId())
                ? dataNode.tier().lend(key, passed, dataNode.process().nanoTime())
                : null;
        if (extent == null) {
            fromReplica(key, dataNode);
            return;
        }
        MemoryFile file;
        try {
            file = dataNode.mount().file(extent);
        } catch (IOException e) {
            throw new Violation(Invariant.FREED_WITHOUT_LEASE, "lent, but gone: " + extent, e);
        }
        if (passed) {
            dataNode.accessRecorder().descriptorPassed(key.pool(), key.blockId(), true);
            dataNode.descriptorPassed(key, 1);
            dataNode.tier().giveBack(extent, dataNode.process().nanoTime());
            client.process().after(scheduler.between(0, 3_000 * MS), "descriptor read", () -> {
                whole(key, file, "a passed descriptor");
                dataNode.descriptorPassed(key, -1);
            });
        } else {
            dataNode.accessRecorder().stockReadBegan(key.pool(), key.blockId(), true);
            dataNode.process().after(scheduler.between(0, 200 * MS), "stream read", () -> {
                whole(key, file, "a stream of " + dataNode);
                simulatedCluster.hooks().giveBack(dataNode, extent);
                dataNode.accessRecorder().stockReadEnded(key.pool(), key.blockId(), extent.lengthBytes(), true, MS);
            });
        }
        simulatedCluster.readByStock();
    }

    private void whole(BlockKey key, MemoryFile file, String through) {
        right(
                key,
                simulatedCluster.contentOracle().of(key.blockId(), key.generationStamp()),
                0,
                file.content(),
                file,
                through);
        Violation.unless(
                file.lengthBytes() == simulatedCluster.contentOracle().of(key.blockId(), key.generationStamp()).length,
                Invariant.RIGHT_BYTES,
                "%s found %s cut to %d bytes through %s",
                client.process().name(),
                key,
                file.lengthBytes(),
                through);
    }

    /** Stock checks the checksums of what it reads from disk. */
    private void fromReplica(BlockKey key, SimulatedDataNode dataNode) {
        Replica replica = dataNode.host().simulatedVolumes.finalised(key.blockId(), key.generationStamp());
        if (replica == null) {
            return;
        }
        dataNode.accessRecorder().stockReadBegan(key.pool(), key.blockId(), false);
        dataNode.accessRecorder().stockReadEnded(key.pool(), key.blockId(), replica.lengthBytes(), false, 5 * MS);
        if (dataNode.host().simulatedVolumes.isCorrupt(replica)) {
            simulatedCluster.writeLoad().corrupt(dataNode.host(), key.blockId());
        }
    }
}
