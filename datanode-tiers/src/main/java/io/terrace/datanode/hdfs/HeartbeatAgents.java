package io.terrace.datanode.hdfs;

import io.terrace.common.Agent;
import io.terrace.common.AgentThread;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeartbeatAgent;
import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.datanode.memory.MemoryTierListener;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.TerraceNameNodes;
import org.apache.hadoop.hdfs.server.datanode.TerraceNameNodes.NameNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link HeartbeatAgent} to the placement service of every NameNode that this DataNode serves.
 *
 * <p>Looks at the DataNode's own list of NameNodes once a second, so NameNodes that are added, moved or removed by a
 * refresh are followed.
 */
final class HeartbeatAgents implements Agent, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatAgents.class);
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_LOOKS_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STOP_WAIT_MS = 5_000;

    private final DataNode datanode;
    private final HeartbeatExchange.Shared shared;
    private final DataNodeConfig settings;
    private final AccessRecorder accessRecorder;
    private final MemoryTierListener memoryTierListener;
    private final AgentThread thread;
    private final Map<NameNode, HeartbeatAgent> agents = new HashMap<>();
    /** Those whose address cannot be used, of which the log has a line. */
    private final Set<NameNode> refused = new HashSet<>();

    HeartbeatAgents(
            DataNode datanode,
            HeartbeatExchange.Shared shared,
            DataNodeConfig settings,
            AccessRecorder accessRecorder,
            MemoryTierListener memoryTierListener) {
        this.datanode = datanode;
        this.shared = shared;
        this.settings = settings;
        this.accessRecorder = accessRecorder;
        this.memoryTierListener = memoryTierListener;
        this.thread = new AgentThread(
                "terrace-services", this, nowNs -> agents.isEmpty() ? FIRST_LOOKS_NS : LOOK_NS, System::nanoTime);
    }

    HeartbeatAgents start() {
        thread.start();
        return this;
    }

    @Override
    public int doWork(long nowNs) {
        look();
        return 0;
    }

    @Override
    public void onClose() {
        agents.forEach(this::end);
    }

    /** Whether a NameNode has told this DataNode, since it started, that the pool is its own. */
    static boolean serves(DataNode datanode, String pool) {
        return TerraceNameNodes.of(datanode).stream()
                .anyMatch(nameNode -> nameNode.pool().equals(pool));
    }

    private void look() {
        Set<NameNode> present = TerraceNameNodes.of(datanode);
        for (NameNode nameNode : present) {
            if (!agents.containsKey(nameNode)) {
                tryToBegin(nameNode);
            }
        }
        refused.retainAll(present);
        agents.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                end(entry.getKey(), entry.getValue());
            }
            return gone;
        });
    }

    /** One whose address cannot be used stops no other, and is tried again. */
    private void tryToBegin(NameNode nameNode) {
        try {
            agents.put(nameNode, begin(nameNode));
            refused.remove(nameNode);
        } catch (RuntimeException e) {
            if (refused.add(nameNode)) {
                LOG.error(
                        "NameNode {} gets no heartbeats of Terrace, and places no block of this DataNode in memory: {}."
                                + " Correct it, then: hdfs dfsadmin -refreshNamenodes",
                        nameNode.address(),
                        e.getMessage(),
                        e);
            }
        }
    }

    private HeartbeatAgent begin(NameNode nameNode) {
        // A refresh of the NameNodes gives the DataNode another configuration.
        InetSocketAddress address = new PlacementAddresses(datanode.getConf()).of(nameNode.address());
        LOG.info("The placement service of NameNode {} is expected at {}", nameNode.address(), address);
        HeartbeatAgent begun = new HeartbeatAgent(
                address.getHostString() + ":" + address.getPort(),
                sendSoon -> new HeartbeatExchange(nameNode.pool(), shared, sendSoon),
                new PlacementConnector(datanode.getConf(), address, settings.heartbeatTimeoutMs()),
                settings.heartbeatIntervalMs(),
                settings.heartbeatSoonestMs());
        memoryTierListener.listen(begun.exchange());
        accessRecorder.listen(nameNode.pool(), begun.exchange());
        return begun;
    }

    private void end(NameNode nameNode, HeartbeatAgent ended) {
        accessRecorder.unlisten(nameNode.pool(), ended.exchange());
        memoryTierListener.unlisten(ended.exchange());
        ended.close();
        ended.exchange().end();
    }

    @Override
    public void close() {
        thread.close(false, STOP_WAIT_MS);
    }
}
