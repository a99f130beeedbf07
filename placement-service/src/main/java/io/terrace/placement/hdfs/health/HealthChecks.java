package io.terrace.placement.hdfs.health;

import io.terrace.common.Quantity;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.StoragePolicySatisfierMode;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.jspecify.annotations.Nullable;

/** What the NameNode's side of {@code placementctl doctor} finds wrong. */
public final class HealthChecks {

    /** A Mover that runs keeps this file open. */
    private static final String MOVER_ID = "/system/mover.id";

    /** Fewer say nothing of their share. */
    private static final long LEAST_WRITES = 100;

    private static final double MOST_FAILED_SHARE = 0.05;

    private final FSNamesystem namesystem;
    private final Configuration conf;
    private final NamesystemLookup lookup;
    private final List<FindingProto> found = new ArrayList<>();
    private @Nullable List<DatanodeDescriptor> live;

    /** Of one question of {@code doctor}. */
    public HealthChecks(FSNamesystem namesystem, Configuration conf, NamesystemLookup lookup) {
        this.namesystem = namesystem;
        this.conf = conf;
        this.lookup = lookup;
    }

    /** All of them; the namespace is asked whether a Mover runs. */
    public List<FindingProto> find(List<NodeReport> nodes) {
        mover();
        return findWithoutLock(nodes);
    }

    /** All but whether a Mover runs, which the namespace is asked for. */
    public List<FindingProto> findWithoutLock(List<NodeReport> nodes) {
        nameNode();
        withoutPlugin(nodes)
                .forEach(
                        name -> add(
                                name,
                                "datanode.unreachable",
                                Severity.ERROR,
                                "the DataNode is live but its plugin never reported to this NameNode",
                                "check dfs.datanode.plugins, dfs.datanode.fsdataset.factory and the jars on its class path, and its log"));
        nodes.forEach(this::dataNode);
        boolean ours = namesystem.getBlockManager().getBlockPlacementPolicy() instanceof TerraceBlockPlacementPolicy;
        HealthFinding first = firstDataNode(ours, nodes);
        if (first != null) {
            found.add(finding("NameNode", first));
        }
        HealthFinding order = readOrder(
                conf.getBoolean(DFSConfigKeys.DFS_NAMENODE_READ_CONSIDERSTORAGETYPE_KEY, false),
                conf.getBoolean(DFSConfigKeys.DFS_NAMENODE_READ_CONSIDERLOAD_KEY, false),
                storageTypes());
        if (order != null) {
            found.add(finding("NameNode", order));
        }
        String mix = Releases.mix(Releases.OWN, nodes);
        if (mix != null) {
            add(
                    "NameNode",
                    "releases.mixed",
                    Severity.WARNING,
                    mix,
                    "go on with the upgrade: put the same jars on all hosts and restart the daemons that have others");
        }
        return found;
    }

    /** Whether the NameNode draws where blocks begin, while clients write over the channel; null when it is as it should. */
    static @Nullable HealthFinding firstDataNode(boolean draws, List<NodeReport> nodes) {
        long blocks = nodes.stream()
                .mapToLong(node -> figure(node, Metric.CHANNEL_WRITE_BLOCKS))
                .sum();
        return draws || blocks == 0 || nodes.size() < 2
                ? null
                : new HealthFinding(
                        "namenode.first-datanode-class",
                        Severity.NOTE,
                        "clients write over the channel, and the NameNode has stock HDFS choose where blocks begin: a slow"
                                + " DataNode is the first as often as a fast one",
                        "where DataNodes differ, set dfs.block.replicator.classname to "
                                + TerraceBlockPlacementPolicy.class.getName()
                                + "; SecondaryNameNode, Balancer and Mover"
                                + " load it too and need the jar of lib/server");
    }

    /** What a DataNode's figures say of writes over the channel: why clients leave files to stock, or write blocks again. */
    static List<HealthFinding> writes(NodeReport node) {
        List<HealthFinding> findings = new ArrayList<>();
        long turnedAway = figure(node, Metric.CHANNEL_WRITE_CONNECTIONS_REFUSED);
        if (turnedAway > 0) {
            findings.add(new HealthFinding(
                    "datanode.writes-turned-away",
                    Severity.WARNING,
                    "since it was started it turned " + turnedAway
                            + " connections for writes away, as all were in use, or the half that one user of its host or"
                            + " one other host may have: its clients left these files to stock HDFS",
                    "raise terrace.datanode.write.connections.max; the finding ends when the DataNode restarts"));
        }
        long blocks = figure(node, Metric.CHANNEL_WRITE_BLOCKS);
        long refused = figure(node, Metric.CHANNEL_WRITE_REFUSED);
        long failed = figure(node, Metric.CHANNEL_WRITE_FAILED);
        long all = blocks + refused + failed;
        if (all >= LEAST_WRITES && refused + failed > all * MOST_FAILED_SHARE) {
            findings.add(new HealthFinding(
                    "datanode.writes-failed",
                    Severity.WARNING,
                    "of " + all + " blocks that clients wrote over the channel since it was started it refused "
                            + Quantity.share(refused, all) + " and did not finish " + Quantity.share(failed, all)
                            + " (" + figure(node, Metric.CHANNEL_WRITE_FORWARD_FAILED)
                            + " times another DataNode of the pipeline failed)",
                    "its log says why, one line each"));
        }
        return findings;
    }

    /** What is wrong with the memory that a DataNode has for this name service; null if nothing is. */
    static @Nullable HealthFinding memory(NodeReport node) {
        long memory = node.tiers().stream()
                .filter(tier -> tier.tier() == StorageTier.MEMORY)
                .mapToLong(TierState::capacityBytes)
                .sum();
        if (memory == 0 && figure(node, Metric.MEMORY_CAPACITY_BYTES) > 0) {
            return new HealthFinding(
                    "datanode.memory-taken",
                    Severity.WARNING,
                    "copies of other name services fill its memory tier",
                    "raise terrace.datanode.memory.capacity, or add a pool with lend: false to the policy file of each name"
                            + " service");
        }
        if (memory == 0) {
            return new HealthFinding(
                    "datanode.no-memory-tier",
                    Severity.WARNING,
                    "the DataNode has no memory tier",
                    "set terrace.datanode.memory.dir to a directory on tmpfs and terrace.datanode.memory.capacity");
        }
        if (node.pinnedBytes() > memory) {
            return new HealthFinding(
                    "datanode.pins-overflow",
                    Severity.WARNING,
                    "pins ask for " + node.pinnedBytes() + " bytes of a memory tier of " + memory,
                    "unpin something or raise terrace.datanode.memory.capacity");
        }
        return null;
    }

    private static long figure(NodeReport node, Metric metric) {
        return node.figures().getOrDefault(metric.id(), 0L);
    }

    /** The storage types of the live DataNodes' volumes. */
    private Set<StorageType> storageTypes() {
        Set<StorageType> types = EnumSet.noneOf(StorageType.class);
        for (DatanodeDescriptor node : live()) {
            for (DatanodeStorageInfo storage : node.getStorageInfos()) {
                types.add(storage.getStorageType());
            }
        }
        return types;
    }

    /** Whether the NameNode answers stock clients with the faster of equally near replicas first; null when it is as it should. */
    static @Nullable HealthFinding readOrder(boolean byType, boolean byLoad, Set<StorageType> types) {
        Set<StorageType> lasting = EnumSet.of(StorageType.SSD, StorageType.DISK, StorageType.ARCHIVE);
        lasting.retainAll(types);
        String key = DFSConfigKeys.DFS_NAMENODE_READ_CONSIDERSTORAGETYPE_KEY;
        if (types.contains(StorageType.NVDIMM)) {
            return byType && !byLoad && !lasting.isEmpty()
                    ? new HealthFinding(
                            "namenode.read-order",
                            Severity.WARNING,
                            key
                                    + " is true, and HDFS takes NVDIMM for slower than ARCHIVE: stock clients read replicas on"
                                    + " NVM last",
                            "set it to false; the FileSystem class reads the faster of equally near replicas by itself")
                    : null;
        }
        return !byType && lasting.size() > 1
                ? new HealthFinding(
                        "namenode.read-order",
                        Severity.NOTE,
                        "DataNodes have volumes of " + lasting + ", and of equally near replicas stock clients read the"
                                + " one on the faster by chance",
                        "set " + key + " to true"
                                + (byLoad
                                        ? " and " + DFSConfigKeys.DFS_NAMENODE_READ_CONSIDERLOAD_KEY
                                                + ", which overrides it, to false"
                                        : ""))
                : null;
    }

    /** Fetched once, as that takes the lock of their manager. */
    private List<DatanodeDescriptor> live() {
        List<DatanodeDescriptor> known = live;
        if (known == null) {
            known = new ArrayList<>();
            namesystem.getBlockManager().getDatanodeManager().fetchDatanodes(known, null, false);
            live = known;
        }
        return known;
    }

    /** Names of live DataNodes that never sent the service a heartbeat. */
    public List<String> withoutPlugin(List<NodeReport> nodes) {
        Set<String> reporting = nodes.stream().map(NodeReport::uuid).collect(Collectors.toSet());
        return live().stream()
                .filter(node -> !reporting.contains(node.getDatanodeUuid()))
                .map(NamesystemLookup::name)
                .sorted()
                .toList();
    }

    private void nameNode() {
        if (namesystem.isInSafeMode()) {
            add(
                    "NameNode",
                    "namenode.safemode",
                    Severity.WARNING,
                    "the NameNode is in safe mode: nothing is promoted",
                    "wait, or hdfs dfsadmin -safemode leave");
        }
        if (namesystem.isRollingUpgrade() || !namesystem.isUpgradeFinalized()) {
            add(
                    "NameNode",
                    "namenode.upgrade",
                    Severity.NOTE,
                    "an upgrade is under way or not finalized: no replica is moved between volumes",
                    "go on with it; then hdfs dfsadmin -rollingUpgrade finalize, or -finalizeUpgrade");
        }
        String mode = conf.get(
                DFSConfigKeys.DFS_STORAGE_POLICY_SATISFIER_MODE_KEY,
                DFSConfigKeys.DFS_STORAGE_POLICY_SATISFIER_MODE_DEFAULT);
        if (StoragePolicySatisfierMode.fromString(mode) != StoragePolicySatisfierMode.NONE) {
            add(
                    "NameNode",
                    "namenode.sps",
                    Severity.WARNING,
                    "the Storage Policy Satisfier is on (" + mode + "): it moves replicas to what storage policies say",
                    "set dfs.storage.policy.satisfier.mode to none, or leave moves between volumes to it");
        }
        if (namesystem.getBlockManager().getBlockPlacementPolicy() instanceof TerraceBlockPlacementPolicy policy
                && !policy.isServed()) {
            add(
                    "NameNode",
                    "namenode.first-datanode",
                    Severity.WARNING,
                    "dfs.block.replicator.classname is Terrace's, but stock HDFS chooses where blocks begin: no DataNode has"
                            + " told the speed of a client since the NameNode was reconfigured, or the choice failed",
                    "look for the error in the NameNode's log; if there is one, restart the NameNode");
        }
        if (!conf.getBoolean(DFSConfigKeys.DFS_NAMENODE_XATTRS_ENABLED_KEY, true)) {
            add(
                    "NameNode",
                    "namenode.xattrs",
                    Severity.WARNING,
                    "extended attributes are disabled: pin is refused, pause and off end with a restart",
                    "set dfs.namenode.xattrs.enabled to true");
        }
    }

    private void mover() {
        if (moverRuns()) {
            add(
                    "NameNode",
                    "namenode.mover",
                    Severity.WARNING,
                    "a Mover is running or was killed (" + MOVER_ID
                            + " exists): it moves replicas back to their storage"
                            + " policies, and a replica that moves cannot be promoted meanwhile",
                    "wait until it ends, or remove the file if none runs; where a Mover runs each night, set"
                            + " terrace.datanode.move.guard on the DataNodes, which refuse it what a range of tiers keeps");
        }
    }

    private boolean moverRuns() {
        try {
            lookup.file(MOVER_ID);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void dataNode(NodeReport node) {
        if (!node.live()) {
            add(
                    node.name(),
                    "datanode.silent",
                    Severity.ERROR,
                    "no heartbeat for " + node.silentMs() / 1000 + " s",
                    "look at the DataNode's log; its network path to terrace.placement.rpc-address may be blocked");
            return;
        }
        if (!node.serving()) {
            add(
                    node.name(),
                    "datanode.not-serving",
                    Severity.WARNING,
                    "the DataNode says that it does not serve grants",
                    "see the other findings of this DataNode, and its log");
        }
        if (node.leaving() != null) {
            add(
                    node.name(),
                    "datanode.leaving",
                    Severity.NOTE,
                    node.leaving()
                            + ": nothing new comes into its memory, and what it alone has there is copied elsewhere",
                    null);
        }
        resized(node);
        HealthFinding ofMemory = memory(node);
        if (ofMemory != null) {
            found.add(finding(node.name(), ofMemory));
        }
        node.conditions().forEach(condition -> found.add(finding(node.name(), condition)));
        writes(node).forEach(finding -> found.add(finding(node.name(), finding)));
    }

    private void resized(NodeReport node) {
        Resized resized = node.resized();
        if (resized == null) {
            return;
        }
        if (resized.refusal() != null) {
            add(
                    node.name(),
                    "datanode.resize-refused",
                    Severity.WARNING,
                    "its memory was not resized to " + resized.capacityBytes() + " bytes: " + resized.refusal(),
                    null);
        } else if (resized.capacityBytes() != resized.configuredBytes()) {
            add(
                    node.name(),
                    "datanode.resized",
                    Severity.NOTE,
                    "its memory was resized to " + resized.capacityBytes()
                            + " bytes until it restarts; the setting says " + resized.configuredBytes(),
                    "set terrace.datanode.memory.capacity to what it is to keep");
        }
    }

    private void add(String where, String id, Severity severity, String text, @Nullable String remedy) {
        found.add(finding(where, new HealthFinding(id, severity, text, remedy)));
    }

    static FindingProto finding(String where, HealthFinding finding) {
        return FindingProto.newBuilder()
                .setWhere(where)
                .setFinding(HeartbeatCodec.condition(finding))
                .build();
    }
}
