package io.terrace.conf;

import org.jspecify.annotations.Nullable;

/**
 * Every {@code terrace.*} configuration key of every part, with its default, who reads it and what it does: the list that
 * {@link UnknownSettings} are looked for in and that {@code conf/} is tested against.
 */
public enum TerraceSettings {
    ENABLED("terrace.enabled", "true", "client, DataNode, NameNode", "Whole switch: false leaves stock HDFS."),
    CHANNEL_DIR(
            "terrace.channel.dir",
            "",
            "client, DataNode",
            "Directory of the Unix sockets over which DataNodes of a host grant blocks to clients. Nobody but its owner and root may be able to write it or any directory above it. Unset: no grants."),
    CHANNEL_OWNER(
            "terrace.channel.owner",
            "hdfs",
            "client",
            "Users, by name or number, who run DataNodes: the client believes who owns terrace.channel.dir, and shows him block tokens, if it is one of them, root or the client's own user."),
    CLIENT_LOCAL(
            "terrace.client.local",
            "true",
            "client",
            "Whether the FileSystem class reads from the memory of a DataNode of its own host through the file. False: over the tcp channel, as from other hosts; for tests and comparisons."),
    CLIENT_MAPPED_MAX(
            "terrace.client.mapped.max",
            "64m",
            "client",
            "Bytes of granted extents that a client process may keep mapped. Mapped pages count against a container's memory. 0 reads through the file only."),
    CLIENT_GRANTS_MAX(
            "terrace.client.grants.max",
            "1024",
            "client",
            "Grants, and so open files, that a client process may hold."),
    CLIENT_GRANT_TIMEOUT(
            "terrace.client.grant.timeout",
            "250ms",
            "client",
            "How long a read waits for the answer of a DataNode before it goes to stock HDFS."),
    CLIENT_GRANT_IDLE(
            "terrace.client.grant.idle", "60s", "client", "A grant that was not used for so long is given back."),
    CLIENT_REPORT_INTERVAL(
            "terrace.client.report.interval",
            "250ms",
            "client",
            "How often reads through grants are reported to the DataNode."),
    CLIENT_REPORT_BYTES(
            "terrace.client.report.bytes",
            "256m",
            "client",
            "A report is sent early when so much was read through one grant; bounds what a killed client leaves unreported."),
    CLIENT_REFUSED_PAUSE(
            "terrace.client.refused.pause",
            "1s",
            "client",
            "After a refusal or failure a block is not asked for again for so long."),
    CLIENT_CONNECT_PAUSE(
            "terrace.client.connect.pause",
            "1s",
            "client",
            "How often the channel directory is looked through for DataNodes that came or came back."),

    CHANNEL_TCP_PORT_OFFSET(
            "terrace.channel.tcp.port.offset",
            "0",
            "client, DataNode",
            "A DataNode serves its memory to clients of other hosts on its transfer port plus this (100: 9966); the same everywhere. 0: not at all. Never served, and never used, where data transfer is protected or encrypted."),
    CHANNEL_TCP_THREADS(
            "terrace.channel.tcp.threads", "2", "DataNode", "Threads that serve the memory to clients of other hosts."),
    CHANNEL_TCP_CHECKSUMS_MAX(
            "terrace.channel.tcp.checksums.max",
            "256m",
            "DataNode",
            "Heap for the checksums of blocks that clients of other hosts read: 1/128 of those blocks; one user has half of it at most. Beyond it, they read through stock HDFS."),
    CHANNEL_VERBS_PORT_OFFSET(
            "terrace.channel.verbs.port.offset",
            "0",
            "client, DataNode",
            "A DataNode also serves its memory by RDMA (InfiniBand, RoCE, iWARP) at its transfer port plus this, to clients of its tcp channel, which tells them where. 0: not at all, in a client: not used. Where there is no RDMA device or library, tcp serves."),
    CHANNEL_VERBS_REGISTERED_MAX(
            "terrace.channel.verbs.registered.max",
            "64g",
            "DataNode",
            "Memory that may be pinned for RDMA. It counts against the limit of locked memory (memlock); what is beyond is served over tcp."),
    CHANNEL_VERBS_PAGING(
            "terrace.channel.verbs.paging",
            "false",
            "DataNode",
            "Register memory for RDMA without pinning it (on-demand paging), where the device is known to do that right; pinned elsewhere."),
    CHANNEL_VERBS_TRUSTED_NETWORK(
            "terrace.channel.verbs.trusted-network",
            "false",
            "DataNode",
            "Serve by RDMA although block tokens are on. A card asks for a key of 32 bits alone, so whoever can connect to the RDMA port can try to read what is registered without any token: say true only where all such hosts and users may read all of HDFS. Where tokens are off it makes no difference."),
    CHANNEL_VERBS_LIBDISNI(
            "terrace.channel.verbs.libdisni",
            "false",
            "client, DataNode",
            "Use DiSNI's own native library, which has to be compiled and installed, instead of rdma-core's libibverbs and librdmacm."),
    CLIENT_REMOTE_CHOICE(
            "terrace.client.remote.choice",
            "cost",
            "client",
            "How a block is read that another host has in memory: cost takes stock HDFS where its readers lately took clearly less, memory takes memory always."),
    CLIENT_TCP_TIMEOUT(
            "terrace.client.tcp.timeout",
            "500ms",
            "client",
            "How long a read waits for the memory of another host before it goes to stock HDFS."),
    CLIENT_TCP_CONNECT_TIMEOUT(
            "terrace.client.tcp.connect.timeout",
            "200ms",
            "client",
            "How long the first read from a DataNode waits for its tcp channel."),
    CLIENT_TCP_CONNECTIONS_MAX(
            "terrace.client.tcp.connections.max",
            "4",
            "client",
            "Connections that a client process has to one DataNode: more than the first are opened while others are in use."),
    CLIENT_TCP_NODES_MAX(
            "terrace.client.tcp.nodes.max", "256", "client", "DataNodes that a client process keeps a tcp channel to."),
    CLIENT_TCP_READAHEAD_MAX(
            "terrace.client.tcp.readahead.max",
            "64m",
            "client",
            "Bytes that sequential readers of a client process may have asked for ahead of their use, in all."),
    PLACEMENT_RPC_ADDRESS(
            "terrace.placement.rpc-address",
            "",
            "DataNode, NameNode, placementctl",
            "host:port of the placement service in a NameNode; with a suffix .<nameservice>[.<namenode>] where there are several. Unset: the host of the NameNode's RPC address and terrace.placement.port."),
    PLACEMENT_RPC_BIND_HOST(
            "terrace.placement.rpc-bind-host",
            "",
            "NameNode",
            "Address that the service listens on when it is not that of terrace.placement.rpc-address."),
    PLACEMENT_PORT(
            "terrace.placement.port",
            "8899",
            "DataNode, NameNode, placementctl",
            "Port of the placement service where terrace.placement.rpc-address is unset."),
    PLACEMENT_PORT_OFFSET(
            "terrace.placement.port.offset",
            "0",
            "DataNode, NameNode, placementctl",
            "The port is the NameNode's RPC port plus this (100: 8120) where terrace.placement.rpc-address is unset: for several NameNodes on one host. 0, or a sum that is no port: terrace.placement.port. Where DataNodes use a service RPC address, name terrace.placement.rpc-address instead."),
    PLACEMENT_HANDLERS(
            "terrace.placement.handlers", "8", "NameNode", "Threads that answer heartbeats and placementctl."),
    PLACEMENT_ADMIN_ACL(
            "terrace.placement.admin.acl",
            "",
            "NameNode",
            "Users and groups (\"user1,user2 group1\") who may change placement besides the superuser."),
    PLACEMENT_POLICY(
            "terrace.placement.policy",
            "adaptive",
            "NameNode",
            "Name of the placement policy; each DataNode has an instance of its own."),
    PLACEMENT_POLICY_PARAMETERS(
            "terrace.placement.policy.parameters",
            "",
            "NameNode",
            "Parameters of the policy as name=value, separated by commas."),
    PLACEMENT_POLICY_FILE(
            "terrace.placement.policy.file",
            "",
            "NameNode",
            "Local YAML file with policy, parameters and rules by path (conf/placement.yaml); read again when it changes. Unset: terrace.placement.policy and its parameters."),
    PLACEMENT_POLICY_FILE_INTERVAL(
            "terrace.placement.policy.file.interval", "5s", "NameNode", "How often the policy file is looked at."),
    PLACEMENT_ACCESS_LOG_ENABLED(
            "terrace.placement.access-log.enabled",
            "true",
            "NameNode",
            "Whether accesses are logged where a directory for it is set."),
    PLACEMENT_ACCESS_LOG_DIR(
            "terrace.placement.access-log.dir",
            "",
            "NameNode",
            "Local directory for the log of accesses, one for each NameNode, that placementctl policy simulate replays: block ids, sizes and times, and paths in files beside them. Unset: no log."),
    PLACEMENT_ACCESS_LOG_PATHS(
            "terrace.placement.access-log.paths",
            "true",
            "NameNode",
            "Whether the paths of the blocks are kept beside the log of accesses, so that simulations know which rules hold. They do not leave the NameNode."),
    PLACEMENT_ACCESS_LOG_BYTES(
            "terrace.placement.access-log.bytes",
            "256m",
            "NameNode",
            "Bytes on disk that the log of accesses may use; the oldest file goes for a new one."),
    PLACEMENT_IDECIDER_THRESHOLD(
            "terrace.placement.idecider.threshold",
            "2",
            "NameNode",
            "With policy idecider: reads that a block must exceed to be promoted."),
    PLACEMENT_IDECIDER_REMEMBERED(
            "terrace.placement.idecider.remembered",
            "100000",
            "NameNode",
            "With policy idecider: blocks outside memory whose reads the policy of one DataNode counts."),
    PLACEMENT_MOVE_BANDWIDTH(
            "terrace.placement.move.bandwidth",
            "100m",
            "NameNode",
            "Bytes a second copied into memory on each DataNode while it serves reads; 0 is no limit. An idle DataNode has none."),
    PLACEMENT_IDLE_BANDWIDTH(
            "terrace.placement.idle.bandwidth",
            "1m",
            "NameNode",
            "A DataNode that serves fewer bytes a second is idle."),
    PLACEMENT_MOVES_IN_FLIGHT(
            "terrace.placement.moves.in-flight",
            "4",
            "NameNode",
            "Promotions that one DataNode carries out at a time."),
    PLACEMENT_MOVES_WAITING(
            "terrace.placement.moves.waiting",
            "256",
            "NameNode",
            "Promotions that may wait for one DataNode; more are forgone."),
    PLACEMENT_MOVE_TIMEOUT(
            "terrace.placement.move.timeout",
            "60s",
            "NameNode",
            "An order without a result is given up after this and the time its bytes take at 10 MB/s."),
    PLACEMENT_MOVE_WAIT(
            "terrace.placement.move.wait",
            "30s",
            "NameNode",
            "A promotion that the budget let wait for longer is given up."),
    PLACEMENT_INTERVAL(
            "terrace.placement.interval", "250ms", "NameNode", "Time between two turns of the placement loop."),
    PLACEMENT_HEARTBEAT_INTERVAL(
            "terrace.placement.heartbeat.interval",
            "250ms",
            "NameNode",
            "Time between two heartbeats of a DataNode; 1 ms per DataNode where that is longer."),
    PLACEMENT_NODE_EXPIRY(
            "terrace.placement.node.expiry",
            "10s",
            "NameNode",
            "A DataNode that is silent for longer gets no orders and no block's home."),
    PLACEMENT_NODE_FORGET(
            "terrace.placement.node.forget", "10m", "NameNode", "A DataNode that is silent for longer is forgotten."),
    PLACEMENT_TRACKED_BLOCKS(
            "terrace.placement.tracked.blocks",
            "500000",
            "NameNode",
            "Blocks whose heat is kept, about 290 bytes of heap each."),
    PLACEMENT_HEARTBEAT_ENTRIES(
            "terrace.placement.heartbeat.entries",
            "10000",
            "NameNode",
            "Entries of each list that are taken from one heartbeat."),
    PLACEMENT_LOCK_BLOCKS(
            "terrace.placement.lock.blocks",
            "256",
            "NameNode",
            "Blocks looked at in one hold of the NameNode's read lock."),
    PLACEMENT_HEAT_HALF_LIFE(
            "terrace.placement.heat.half-life",
            "10m",
            "NameNode",
            "Half-life of heat, where the home of a block and placementctl top are concerned."),
    DATANODE_MEMORY_DIR(
            "terrace.datanode.memory.dir",
            "",
            "DataNode",
            "Directory on tmpfs for copies of hot blocks; one for each DataNode, writable by its user, passable by clients. Unset: the DataNode is stock."),
    DATANODE_MEMORY_CAPACITY(
            "terrace.datanode.memory.capacity",
            "",
            "DataNode",
            "Bytes that copies in memory may use, such as 4g. Unset: the DataNode is stock."),
    DATANODE_MEMORY_REQUIRE_TMPFS(
            "terrace.datanode.memory.require-tmpfs",
            "true",
            "DataNode",
            "Whether a directory that is not on tmpfs is refused; false only warns."),
    DATANODE_MEMORY_DIR_PER_DATANODE(
            "terrace.datanode.memory.dir.per-datanode",
            "false",
            "DataNode",
            "For tests: several DataNodes have one configuration, and each takes a directory of its own below terrace.datanode.memory.dir. Nobody clears it once the DataNode is formatted anew."),
    DATANODE_MEMORY_EXTENTS_MAX(
            "terrace.datanode.memory.extents.max", "65536", "DataNode", "Copies that there may be at one time."),
    DATANODE_MEMORY_COPY_THREADS("terrace.datanode.memory.copy.threads", "2", "DataNode", "Copies made at one time."),
    DATANODE_MEMORY_COPY_BANDWIDTH(
            "terrace.datanode.memory.copy.bandwidth",
            "0",
            "DataNode",
            "Bytes a second at which this DataNode makes copies, whatever the service allows. 0: no limit."),
    DATANODE_MEMORY_COPY_QUEUE(
            "terrace.datanode.memory.copy.queue",
            "4096",
            "DataNode",
            "Orders to make a copy that may wait; more are refused."),
    DATANODE_MEMORY_SCRUB_BANDWIDTH(
            "terrace.datanode.memory.scrub.bandwidth",
            "8m",
            "DataNode",
            "Bytes a second at which copies in memory are checked against their checksums in the background. 0: never."),
    DATANODE_MEMORY_SCRUB_INTERVAL(
            "terrace.datanode.memory.scrub.interval",
            "1h",
            "DataNode",
            "Least time from the beginning of one check of all copies to that of the next."),
    DATANODE_MEMORY_DROP_SOURCE_PAGES(
            "terrace.datanode.memory.drop-source-pages",
            "true",
            "DataNode",
            "Whether the page cache of a replica is dropped once its copy is in memory, so that it does not stand there twice."),
    DATANODE_MEMORY_LENT_TIMEOUT(
            "terrace.datanode.memory.lent.timeout",
            "",
            "DataNode",
            "How long the bytes of a retired copy count as used because a stock short-circuit client holds its file descriptor. Unset: as long as stock's cache waits, dfs.datanode.cache.revocation.timeout.ms (15 minutes)."),
    DATANODE_NVM_ENABLED(
            "terrace.datanode.nvm.enabled",
            "true",
            "DataNode",
            "Whether replicas on volumes tagged [NVDIMM] are granted to clients of other hosts as they are, without a copy in memory. Needs terrace.channel.tcp.port.offset."),
    DATANODE_NVM_EXTENTS_MAX(
            "terrace.datanode.nvm.extents.max",
            "16384",
            "DataNode",
            "Replicas on NVM that may be granted at one time; each has a hard link on its volume. The longest unread makes way."),
    DATANODE_REGION_SIZE(
            "terrace.datanode.region.size",
            "16t",
            "DataNode",
            "Size of the virtual range in which copies have addresses; at least twice the memory tier's capacity."),
    DATANODE_REGION_REST(
            "terrace.datanode.region.rest",
            "10s",
            "DataNode",
            "How long an address is not used again after its copy is gone."),
    DATANODE_GRANTS_MAX(
            "terrace.datanode.grants.max",
            "262144",
            "DataNode",
            "Grants that may be held at one time; one user holds half of them at most, so that others find some."),
    DATANODE_GRANTS_PER_PEER_MAX(
            "terrace.datanode.grants.per-peer.max", "16384", "DataNode", "Grants that one client process may hold."),
    DATANODE_GRANTS_LEASE(
            "terrace.datanode.grants.lease",
            "60s",
            "DataNode",
            "Longest lease of a grant; a grant never outlives its block token."),
    DATANODE_GRANTS_DEADLINE(
            "terrace.datanode.grants.deadline",
            "5s",
            "DataNode",
            "How long a read begun under a lease may take; a retired copy is kept for so long after the last lease."),
    DATANODE_HEARTBEAT_INTERVAL(
            "terrace.datanode.heartbeat.interval",
            "1s",
            "DataNode",
            "Time between heartbeats while no placement service answers; one that does says when the next is due"
                    + " (terrace.placement.heartbeat.interval)."),
    DATANODE_HEARTBEAT_INTERVAL_MIN(
            "terrace.datanode.heartbeat.interval.min",
            "200ms",
            "DataNode",
            "Least time between heartbeats when there is something new."),
    DATANODE_HEARTBEAT_TIMEOUT(
            "terrace.datanode.heartbeat.timeout", "5s", "DataNode", "How long a heartbeat may take."),
    DATANODE_METRICS_ADDRESS(
            "terrace.datanode.metrics.address",
            "",
            "DataNode",
            "Not used any more, nothing listens there: the metrics are at /jmx of the DataNode's web server and, if hadoop.prometheus.endpoint.enabled is true, at /prom."),
    DATANODE_HEAT_BLOCKS_MAX(
            "terrace.datanode.heat.blocks.max",
            "16384",
            "DataNode",
            "Blocks whose reads are remembered until a heartbeat carries them; beyond it the oldest are forgotten and counted."),
    DATANODE_PROMOTE_AT_ONCE(
            "terrace.datanode.promote.at-once",
            "false",
            "DataNode",
            "For tests: a block is copied to memory when it is finalised or first read, before its writer or reader goes on.");

    private final String key;
    private final String defaultValue;
    private final String readBy;
    private final String doc;

    TerraceSettings(String key, String defaultValue, String readBy, String doc) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.readBy = readBy;
        this.doc = doc;
    }

    public String key() {
        return key;
    }

    /** As it would stand in a configuration file; empty means unset. */
    public String defaultValue() {
        return defaultValue;
    }

    public String readBy() {
        return readBy;
    }

    public String doc() {
        return doc;
    }

    /** The setting of that exact key, or null. */
    public static @Nullable TerraceSettings of(String key) {
        for (TerraceSettings known : values()) {
            if (known.key.equals(key)) {
                return known;
            }
        }
        return null;
    }

    /** Keys that stock's HA convention extends by name service and NameNode. */
    boolean takesSuffix() {
        return key.endsWith("-address");
    }
}
