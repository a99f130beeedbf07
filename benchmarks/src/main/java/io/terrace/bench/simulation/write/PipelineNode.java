package io.terrace.bench.simulation.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.terrace.bench.simulation.write.StoredReplica.State;
import io.terrace.channel.shm.SocketDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.jspecify.annotations.Nullable;

/** A DataNode: its disk, which outlives a crash, and the connections on which blocks are written. The disk does what Hadoop's does. */
final class PipelineNode {
    private static final int ANY_PORT = 20_000;

    private final WriteWorld world;
    private final DatanodeInfo info;
    private final Map<Long, StoredReplica> replicas = new TreeMap<>();
    private final List<NodeConnection> connections = new ArrayList<>();

    /** The lengths of replicas when they were deleted. */
    private final Map<Long, Integer> deletedBytes = new TreeMap<>();

    private final boolean answersOnce;

    private @Nullable ServerSocketChannel listener;

    /** How much slower it is than others. */
    private int slowness = 1;

    PipelineNode(WriteWorld world, int index) {
        this.world = world;
        this.answersOnce = index % 2 == 0;
        String name = "dn" + (index + 1);
        this.info = new DatanodeInfoBuilder()
                .setIpAddr("127.0.0.1")
                .setHostName(name)
                .setDatanodeUuid(UUID.nameUUIDFromBytes(name.getBytes(UTF_8)).toString())
                .setXferPort(ANY_PORT + index)
                .build();
    }

    DatanodeInfo info() {
        return info;
    }

    /** Whether it acknowledges a block that comes with the request without a word before; older DataNodes do not. */
    boolean answersOnce() {
        return answersOnce;
    }

    boolean isRunning() {
        return listener != null;
    }

    @Nullable
    StoredReplica replica(long blockId) {
        return replicas.get(blockId);
    }

    /** Whether it has so much of a block, or had it when that was deleted: what it said of that may still be on its way. */
    boolean has(long blockId, long bytes) {
        StoredReplica replica = replicas.get(blockId);
        int length = replica == null ? deletedBytes.getOrDefault(blockId, 0) : replica.lengthBytes();
        return length >= bytes;
    }

    List<NodeConnection> connections() {
        return connections;
    }

    void slow(int times) {
        slowness = times;
    }

    /** A step of this DataNode or on a link to it takes so long. */
    long delayNs() {
        return world.scheduler().between(20, 400) * WriteWorld.US * slowness;
    }

    /** Begins to run; tells the NameNode of all that is on its disk. */
    void start() {
        try {
            ServerSocketChannel fresh = SocketDirectory.listen(world.sockets().socket(info.getDatanodeUuid()));
            fresh.configureBlocking(false);
            listener = fresh;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List.copyOf(replicas.values()).forEach(this::report);
    }

    void crash() {
        ServerSocketChannel open = listener;
        listener = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List.copyOf(connections).forEach(NodeConnection::close);
        connections.clear();
        for (StoredReplica replica : replicas.values()) {
            replica.writer = null;
            replica.state = replica.state == State.RBW ? State.RWR : replica.state;
        }
    }

    /** Takes in what has arrived; when it is dealt with is chance. */
    void poll() {
        ServerSocketChannel open = listener;
        if (open == null) {
            return;
        }
        try {
            for (SocketChannel client = open.accept(); client != null; client = open.accept()) {
                connections.add(new NodeConnection(world, this, client));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.removeIf(NodeConnection::isClosed);
        List.copyOf(connections).forEach(NodeConnection::poll);
    }

    /** Tells the NameNode of a replica as it will be then, unless this DataNode crashes before. */
    void report(StoredReplica replica) {
        report(replica, -1);
    }

    /** @param claimedBytes told instead of its length; negative for none */
    void report(StoredReplica replica, int claimedBytes) {
        ServerSocketChannel since = listener;
        world.scheduler().after(delayNs(), "report", () -> {
            if (since != null && since == listener && replicas.get(replica.blockId) == replica) {
                world.nameNode().reported(this, replica, claimedBytes < 0 ? replica.lengthBytes() : claimedBytes);
            }
        });
    }

    void delete(long blockId) {
        StoredReplica gone = replicas.remove(blockId);
        if (gone != null) {
            deletedBytes.put(blockId, gone.lengthBytes());
            stopWriter(gone);
        }
    }

    StoredReplica create(long blockId, long stamp) throws IOException {
        if (replicas.containsKey(blockId)) {
            throw new IOException("blk_" + blockId + " exists already");
        }
        StoredReplica replica = new StoredReplica(blockId, stamp);
        replicas.put(blockId, replica);
        return replica;
    }

    /** As {@code recoverRbw}; one that is finalised with an older stamp is opened again. */
    StoredReplica recover(long blockId, long stamp, long newStamp, long leastBytes, long mostBytes) throws IOException {
        StoredReplica replica = usable(blockId, stamp, newStamp);
        int lengthBytes = replica.lengthBytes();
        if (replica.state == State.FINALIZED) {
            if (replica.stamp >= newStamp || lengthBytes < leastBytes || lengthBytes > mostBytes) {
                throw new IOException(replica + " is not to be opened again");
            }
            replica.state = State.RBW;
        } else if (replica.ackedBytes < leastBytes || lengthBytes > mostBytes) {
            throw new IOException(replica + " of which " + replica.ackedBytes + " are acknowledged does not fit");
        }
        stopWriter(replica);
        replica.truncate(replica.ackedBytes);
        replica.stamp = newStamp;
        return replica;
    }

    /** As {@code recoverClose}. */
    StoredReplica recoverClose(long blockId, long stamp, long newStamp, long lengthBytes) throws IOException {
        StoredReplica replica = usable(blockId, stamp, newStamp);
        stopWriter(replica);
        boolean fits = replica.lengthBytes() == lengthBytes && replica.ackedBytes == lengthBytes;
        if (!fits && world.hooks().comparesLengths()) {
            throw new IOException(replica + " is not of " + lengthBytes + " bytes");
        }
        replica.stamp = newStamp;
        replica.finalise();
        return replica;
    }

    private StoredReplica usable(long blockId, long stamp, long newStamp) throws IOException {
        StoredReplica replica = replicas.get(blockId);
        if (replica == null || replica.state == State.RWR || replica.stamp < stamp || replica.stamp > newStamp) {
            throw new IOException("no replica of blk_" + blockId + "_" + stamp + ", but " + replica);
        }
        return replica;
    }

    /** As {@code stopWriter}: it has ended when this returns. */
    void stopWriter(StoredReplica replica) {
        NodeConnection before = replica.writer;
        replica.writer = null;
        if (before != null && world.hooks().stopsWriters()) {
            before.stop();
        }
    }

    /** Gets a finalised copy, of which the NameNode is not told. */
    void copy(StoredReplica from) {
        StoredReplica copy = new StoredReplica(from.blockId, from.stamp);
        copy.write(0, from.bytes());
        copy.finalise();
        replicas.put(copy.blockId, copy);
    }

    @Override
    public String toString() {
        return info.getHostName();
    }
}
