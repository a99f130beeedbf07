package io.terrace.conf;

import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Every {@code terrace.*} property of every process: key, who reads it, type and unit, default, range, and what it does.
 * {@code bin/terrace conf} prints this list, {@code conf/} is generated from it, and {@link UnknownSettings} are those that
 * are not in it.
 */
public final class TerraceSettings {

    /** Stands first because each constant adds itself. */
    private static final SettingList ALL = new SettingList();

    private static final int PORTS = 65_535;
    private static final int EXTENTS = 1 << 22;
    static final long PAGE = 4_096;
    private static final long PETABYTE = 1L << 50;
    private static final long DAYS_30 = TimeUnit.DAYS.toMillis(30);

    /** What the placement service counts in milliseconds has to fit an int. */
    private static final long DAYS_24 = TimeUnit.DAYS.toMillis(24);

    public static final Setting<Boolean> ENABLED = key("terrace.enabled", "client, DataNode, NameNode")
            .flag(true)
            .doc("false turns Terrace off in this process, which then is stock HDFS.");

    public static final Setting<Path> CHANNEL_DIR = key("terrace.channel.dir", "client, DataNode")
            .absolutePath()
            .doc("Directory of the Unix sockets over which DataNodes of a host grant blocks to clients. Nobody but"
                    + " its owner and root may be able to write it or any directory above it. Unset: no grants.");

    public static final Setting<String> CHANNEL_OWNER = key("terrace.channel.owner", "client")
            .text("hdfs")
            .doc("Users, by name or number, who run DataNodes. The client sends block tokens only if the owner of"
                    + " terrace.channel.dir is one of these users, root, or its own user.");

    public static final Setting<Boolean> CLIENT_LOCAL = key("terrace.client.local", "client")
            .flag(true)
            .doc("Whether the FileSystem class reads from the memory of a DataNode of its own host through the"
                    + " file. False: over the tcp channel, as from other hosts; for tests and comparisons.");

    public static final Setting<String> CLIENT_REPLICA_ORDER = key("terrace.client.replica.order", "client")
            .oneOf("storage-type", "namenode")
            .doc("Which of equally near replicas the FileSystem class reads first: with storage-type the one on the"
                    + " faster type (RAM_DISK, NVDIMM, SSD, DISK, ARCHIVE), with namenode the one that the"
                    + " NameNode answered first, which is by chance. Blocks with a replica cached by a directive"
                    + " keep the NameNode's order.");

    public static final Setting<Long> CLIENT_MAPPED_MAX = key("terrace.client.mapped.max", "client")
            .bytes("64m", 0)
            .doc("Bytes of granted extents that a client process may keep mapped. Mapped pages count against a"
                    + " container's memory. 0 reads through the file only.");

    public static final Setting<Integer> CLIENT_GRANTS_MAX = key("terrace.client.grants.max", "client")
            .whole(1_024, 1, Integer.MAX_VALUE)
            .doc("Grants of DataNodes of its own host, and so open files, that a client process may hold. Of each"
                    + " DataNode of another host it holds at most 1024.");

    public static final Setting<Long> CLIENT_GRANT_TIMEOUT = key("terrace.client.grant.timeout", "client")
            .millis("250ms", 1)
            .doc("How long a read waits for the answer of a DataNode before it goes to stock HDFS.");

    public static final Setting<Long> CLIENT_GRANT_IDLE = key("terrace.client.grant.idle", "client")
            .millis("60s", 1)
            .doc("A grant that was not used for so long is given back.");

    public static final Setting<Long> CLIENT_REPORT_INTERVAL = key("terrace.client.report.interval", "client")
            .millis("250ms", 1)
            .doc("How often reads through grants are reported to the DataNode.");

    public static final Setting<Long> CLIENT_REPORT_BYTES = key("terrace.client.report.bytes", "client")
            .bytes("256m", 1)
            .doc("A report is sent early when so much was read through one grant; bounds what a killed client"
                    + " leaves unreported.");

    public static final Setting<Long> CLIENT_REFUSED_PAUSE = key("terrace.client.refused.pause", "client")
            .millis("1s", 1)
            .doc("For so long after a refusal or failure a DataNode of the client's own host is not asked for the"
                    + " block again. One of another host is not asked for 1 s.");

    public static final Setting<Long> CLIENT_CONNECT_PAUSE = key("terrace.client.connect.pause", "client")
            .millis("1s", 1)
            .doc("How often the channel directory is looked through for DataNodes that came or came back.");

    public static final Setting<Integer> CHANNEL_TCP_PORT_OFFSET = key(
                    "terrace.channel.tcp.port.offset", "client, DataNode")
            .whole(0, -PORTS, PORTS)
            .doc("A DataNode serves its memory to clients of other hosts on its transfer port plus this (100:"
                    + " 9966); the same everywhere. 0: not at all. Never served, and never used, where data"
                    + " transfer is protected or encrypted.");

    public static final Setting<Integer> CHANNEL_TCP_THREADS = key("terrace.channel.tcp.threads", "DataNode")
            .whole(2, 1, 64)
            .doc("Threads that serve the memory to clients of other hosts.");

    public static final Setting<Long> CHANNEL_TCP_CHECKSUMS_MAX = key("terrace.channel.tcp.checksums.max", "DataNode")
            .bytes("256m", 0)
            .doc("Heap for the checksums of blocks that clients of other hosts read: 1/128 of those blocks; one"
                    + " user has half of it at most. Beyond it, they read through stock HDFS.");

    public static final Setting<Integer> CHANNEL_VERBS_PORT_OFFSET = key(
                    "terrace.channel.verbs.port.offset", "client, DataNode")
            .whole(0, -PORTS, PORTS)
            .doc("A DataNode also serves its memory by RDMA (InfiniBand, RoCE, iWARP) at its transfer port plus"
                    + " this, to clients of its tcp channel, which tells them where. 0: not at all, in a client:"
                    + " not used. Where there is no RDMA device or library, tcp serves.");

    public static final Setting<Long> CHANNEL_VERBS_REGISTERED_MAX = key(
                    "terrace.channel.verbs.registered.max", "DataNode")
            .bytes("64g", 0)
            .doc("Memory that may be pinned for RDMA. It counts against the limit of locked memory (memlock); what"
                    + " is beyond is served over tcp.");

    public static final Setting<Boolean> CHANNEL_VERBS_PAGING = key("terrace.channel.verbs.paging", "DataNode")
            .flag(false)
            .doc("Register memory for RDMA without pinning it (on-demand paging), where the device is known to do"
                    + " that right; pinned elsewhere.");

    public static final Setting<Boolean> CHANNEL_VERBS_TRUSTED_NETWORK = key(
                    "terrace.channel.verbs.trusted-network", "DataNode")
            .flag(false)
            .doc("Serve by RDMA although block tokens are on. A card asks for a key of 32 bits alone, so whoever"
                    + " can connect to the RDMA port can try to read what is registered without any token: say"
                    + " true only where all such hosts and users may read all of HDFS. Where tokens are off it"
                    + " makes no difference.");

    public static final Setting<Boolean> CHANNEL_VERBS_LIBDISNI = key(
                    "terrace.channel.verbs.libdisni", "client, DataNode")
            .flag(false)
            .doc("Use DiSNI's own native library, which has to be compiled and installed, instead of rdma-core's"
                    + " libibverbs and librdmacm.");

    public static final Setting<String> CLIENT_REMOTE_CHOICE = key("terrace.client.remote.choice", "client")
            .oneOf("cost", "memory")
            .doc("How a block is read that another host has in memory: cost takes stock HDFS where its readers"
                    + " lately took clearly less, memory takes memory always.");

    public static final Setting<Long> CLIENT_TCP_TIMEOUT = key("terrace.client.tcp.timeout", "client")
            .millis("500ms", 1)
            .doc("How long a read waits for the memory of another host before it goes to stock HDFS.");

    public static final Setting<Long> CLIENT_TCP_CONNECT_TIMEOUT = key("terrace.client.tcp.connect.timeout", "client")
            .millis("200ms", 1)
            .doc("How long a client tries to connect to a DataNode's tcp channel, and how long the first reads of a"
                    + " process wait for that altogether.");

    public static final Setting<Integer> CLIENT_TCP_CONNECTIONS_MAX = key(
                    "terrace.client.tcp.connections.max", "client")
            .whole(4, 1, 64)
            .doc("Connections that a client process has to one DataNode: more than the first are opened while"
                    + " others are in use.");

    public static final Setting<Integer> CLIENT_TCP_NODES_MAX = key("terrace.client.tcp.nodes.max", "client")
            .whole(256, 1, 65_536)
            .doc("DataNodes that a client process keeps a tcp channel to. With as many, one gives way to another when"
                    + " nothing was read from it for two minutes.");

    public static final Setting<Long> CLIENT_TCP_READAHEAD_MAX = key("terrace.client.tcp.readahead.max", "client")
            .bytes("64m", 0)
            .doc("Bytes that sequential readers of a client process may have asked for ahead of their use, in all.");

    public static final Setting<Boolean> CLIENT_WRITE_ENABLED = key("terrace.client.write.enabled", "client")
            .flag(false)
            .doc("Whether the FileSystem classes write files over the channel of the DataNodes that have one. What"
                    + " it cannot write, and all other files, stock HDFS writes.");

    public static final Setting<Long> CLIENT_WRITE_RETAINED = key("terrace.client.write.retained", "client")
            .bytes("64m", 1 << 20)
            .doc("Memory for what a client process has written and the DataNodes have not acknowledged, of all"
                    + " files: writers wait beyond it. At most a tenth of the heap; each open file may have 65 KB"
                    + " more.");

    public static final Setting<Integer> CLIENT_WRITE_PIPELINES = key("terrace.client.write.pipelines", "client")
            .whole(4, 1, 64)
            .doc("Blocks of one file that may be written at one time: a block begins when the first DataNode of the"
                    + " one before has all of that. They go to different DataNodes; where there are too few for"
                    + " that, up to three share the last ones of their pipelines, or there are two. 1: each block"
                    + " waits for all replicas of the one before.");

    public static final Setting<Integer> CLIENT_WRITE_FIRST_EXCHANGE = key(
                    "terrace.client.write.first.exchange", "client")
            .whole(80, 0, 100)
            .doc("How many percent of the new blocks begin at another DataNode of their pipeline, where this client"
                    + " writes to that one clearly faster than to the one that the NameNode names first. Not where"
                    + " that is on the client's host. 0: none.");

    public static final Setting<String> CLIENT_WRITE_CLOSE = key("terrace.client.write.close", "client")
            .oneOf("all", "minimal")
            .doc("What close() of a file that is written over the channel waits for. all: each DataNode of each block"
                    + " has it. minimal: the NameNode has accepted the file, which it does with"
                    + " dfs.namenode.replication.min replicas of each block; the client sends what the others lack"
                    + " in the background, of up to 64 files. hflush and hsync wait for all in any case.");

    public static final Setting<Boolean> CLIENT_WRITE_THROUGH = key("terrace.client.write.through", "client")
            .flag(false)
            .doc("Whether a block that is written over the channel is to be in memory as soon as it is written: the"
                    + " DataNode fills the copy meanwhile, if it has room (terrace.datanode.write.through.max)."
                    + " Needs terrace.client.write.enabled.");

    public static final Setting<String> CLIENT_WRITE_THROUGH_PATHS = key("terrace.client.write.through.paths", "client")
            .text("/")
            .doc("For which files terrace.client.write.through holds: paths of files, or of directories above them,"
                    + " separated by commas.");

    public static final Setting<String> CLIENT_WRITE_THROUGH_REPLICAS = key(
                    "terrace.client.write.through.replicas", "client")
            .oneOf("first", "all")
            .doc("Which DataNodes of a block are asked for a copy: first is the one that the client writes to,"
                    + " which is that of its own host where there is one; all are asked where readers are on the"
                    + " hosts of all replicas.");

    public static final Setting<String> PLACEMENT_RPC_ADDRESS = key(
                    "terrace.placement.rpc-address", "DataNode, NameNode, placementctl")
            .text("")
            .doc("host:port of the placement service in a NameNode; with a suffix .<nameservice>[.<namenode>] where"
                    + " there are several. Unset: the host of the NameNode's RPC address and"
                    + " terrace.placement.port.");

    public static final Setting<String> PLACEMENT_RPC_BIND_HOST = key("terrace.placement.rpc-bind-host", "NameNode")
            .text("")
            .doc("Address that the service listens on when it is not that of terrace.placement.rpc-address.");

    public static final Setting<Integer> PLACEMENT_PORT = key(
                    "terrace.placement.port", "DataNode, NameNode, placementctl")
            .whole(8_899, 0, PORTS)
            .doc("Port of the placement service where terrace.placement.rpc-address is unset.");

    public static final Setting<Integer> PLACEMENT_PORT_OFFSET = key(
                    "terrace.placement.port.offset", "DataNode, NameNode, placementctl")
            .whole(0, -PORTS, PORTS)
            .doc("The port is the NameNode's RPC port plus this (100: 8120) where terrace.placement.rpc-address is"
                    + " unset: for several NameNodes on one host. 0, or a sum that is no port:"
                    + " terrace.placement.port. Where DataNodes use a service RPC address, name"
                    + " terrace.placement.rpc-address instead.");

    public static final Setting<Integer> PLACEMENT_HANDLERS = key("terrace.placement.handlers", "NameNode")
            .whole(8, 1, 1_024)
            .doc("Threads that answer heartbeats and placementctl.");

    public static final Setting<String> PLACEMENT_ADMIN_ACL = key("terrace.placement.admin.acl", "NameNode")
            .text("")
            .doc("Users and groups (\"user1,user2 group1\") who may change placement besides the superuser.");

    public static final Setting<String> PLACEMENT_POLICY = key("terrace.placement.policy", "NameNode")
            .text("adaptive")
            .doc("Name of the placement policy; each DataNode has an instance of its own.");

    public static final Setting<String> PLACEMENT_POLICY_PARAMETERS = key(
                    "terrace.placement.policy.parameters", "NameNode")
            .text("")
            .doc("Parameters of the policy as name=value, separated by commas.");

    public static final Setting<Path> PLACEMENT_POLICY_FILE = key("terrace.placement.policy.file", "NameNode")
            .path()
            .doc("Local YAML file with policy, parameters and rules by path (conf/placement.yaml); read again when"
                    + " it changes. Unset: terrace.placement.policy and its parameters.");

    public static final Setting<Long> PLACEMENT_POLICY_FILE_INTERVAL = key(
                    "terrace.placement.policy.file.interval", "NameNode")
            .millis("5s", 100, DAYS_24)
            .doc("How often the policy file is looked at, and an applied policy that could not be read.");

    public static final Setting<Boolean> PLACEMENT_ACCESS_LOG_ENABLED = key(
                    "terrace.placement.access-log.enabled", "NameNode")
            .flag(true)
            .doc("Whether accesses are logged where a directory for it is set.");

    public static final Setting<Path> PLACEMENT_ACCESS_LOG_DIR = key("terrace.placement.access-log.dir", "NameNode")
            .path()
            .doc("Local directory for the log of accesses, one for each NameNode, that placementctl policy simulate"
                    + " replays: block ids, sizes and times, and paths in files beside them. Unset: no log.");

    public static final Setting<Boolean> PLACEMENT_ACCESS_LOG_PATHS = key(
                    "terrace.placement.access-log.paths", "NameNode")
            .flag(true)
            .doc("Whether the paths of the blocks are kept beside the log of accesses, so that simulations know"
                    + " which rules hold. They do not leave the NameNode.");

    public static final Setting<String> PLACEMENT_ACCESS_LOG_READERS = key(
                    "terrace.placement.access-log.readers", "NameNode")
            .oneOf("numbers", "addresses", "none")
            .doc("What the log of accesses says of the hosts of readers and DataNodes, so that placement over"
                    + " DataNodes can be simulated: numbers stands for each address by a number, addresses also"
                    + " writes the addresses, none leaves hosts out.");

    public static final Setting<Long> PLACEMENT_ACCESS_LOG_BYTES = key("terrace.placement.access-log.bytes", "NameNode")
            .bytes("256m", 1 << 20)
            .doc("Bytes on disk that the log of accesses may use; the oldest file goes for a new one.");

    public static final Setting<Path> PLACEMENT_JOURNAL_DIR = key("terrace.placement.journal.dir", "NameNode")
            .path()
            .doc("Local directory for the journal, one for each NameNode: heat and moves, which outlive a restart."
                    + " Not below dfs.namenode.name.dir, nor on a file system mounted noexec. Unset: no journal.");

    public static final Setting<Long> PLACEMENT_JOURNAL_BYTES = key("terrace.placement.journal.bytes", "NameNode")
            .bytes("1g", 64 << 20)
            .doc("Bytes on disk that the journal may use. Moves have an eighth, of which the oldest go; beyond that"
                    + " the heat of the blocks read longest ago goes.");

    public static final Setting<Integer> PLACEMENT_IDECIDER_THRESHOLD = key(
                    "terrace.placement.idecider.threshold", "NameNode")
            .whole(2, 0, Integer.MAX_VALUE)
            .doc("With policy idecider: reads that a block must exceed to be promoted.");

    public static final Setting<Integer> PLACEMENT_IDECIDER_REMEMBERED = key(
                    "terrace.placement.idecider.remembered", "NameNode")
            .whole(100_000, 1, Integer.MAX_VALUE)
            .doc("With policy idecider: blocks outside memory whose reads the policy of one DataNode counts.");

    public static final Setting<Long> PLACEMENT_MOVE_BANDWIDTH = key("terrace.placement.move.bandwidth", "NameNode")
            .bytes("100m", 0)
            .doc("Bytes a second copied into memory on each DataNode while it serves reads; 0 is no limit. An idle"
                    + " DataNode has none.");

    public static final Setting<Long> PLACEMENT_IDLE_BANDWIDTH = key("terrace.placement.idle.bandwidth", "NameNode")
            .bytes("1m", 0)
            .doc("A DataNode that serves fewer bytes a second is idle. One whose descriptors stock short-circuit"
                    + " clients hold is not.");

    public static final Setting<Integer> PLACEMENT_MOVES_IN_FLIGHT = key(
                    "terrace.placement.moves.in-flight", "NameNode")
            .whole(4, 1, 1_024)
            .doc("Promotions that one DataNode carries out at a time.");

    public static final Setting<Integer> PLACEMENT_MOVES_WAITING = key("terrace.placement.moves.waiting", "NameNode")
            .whole(256, 1, 100_000)
            .doc("Promotions that may wait for one DataNode; further ones are dropped.");

    public static final Setting<Long> PLACEMENT_MOVE_TIMEOUT = key("terrace.placement.move.timeout", "NameNode")
            .millis("60s", 1_000, DAYS_24)
            .doc("An order without a result is given up after this and the time its bytes take at 10 MB/s.");

    public static final Setting<Long> PLACEMENT_MOVE_WAIT = key("terrace.placement.move.wait", "NameNode")
            .millis("30s", 1_000, DAYS_24)
            .doc("A promotion that the budget let wait for longer is given up.");

    public static final Setting<Long> PLACEMENT_VOLUME_BANDWIDTH = key("terrace.placement.volume.bandwidth", "NameNode")
            .bytes("100m", 0)
            .doc("Bytes a second that each DataNode moves between its volumes while it serves reads; 0 is no limit."
                    + " An idle DataNode has none.");

    public static final Setting<Long> PLACEMENT_VOLUME_BANDWIDTH_TOTAL = key(
                    "terrace.placement.volume.bandwidth.total", "NameNode")
            .bytes("10g", 0)
            .doc("Bytes a second that all DataNodes together move between their volumes; 0 is no limit.");

    public static final Setting<Integer> PLACEMENT_VOLUME_MOVES_IN_FLIGHT = key(
                    "terrace.placement.volume.moves.in-flight", "NameNode")
            .whole(4, 1, 1_024)
            .doc("Replicas that one DataNode is asked to move between its volumes at a time.");

    public static final Setting<Integer> PLACEMENT_VOLUME_MOVES_IN_FLIGHT_TOTAL = key(
                    "terrace.placement.volume.moves.in-flight.total", "NameNode")
            .whole(1_000, 1, 100_000)
            .doc("The same for all DataNodes together.");

    public static final Setting<Integer> PLACEMENT_VOLUME_MOVES_WAITING = key(
                    "terrace.placement.volume.moves.waiting", "NameNode")
            .whole(1_000, 1, 100_000)
            .doc("Moves between volumes that may wait for one DataNode; more are decided on again later.");

    public static final Setting<Integer> PLACEMENT_VOLUME_HIGH_WATER = key(
                    "terrace.placement.volume.high-water", "NameNode")
            .whole(90, 1, 100)
            .doc("Percent of a tier's volumes on a DataNode above which its coldest blocks that a rule gives a"
                    + " range of tiers go down, and nothing goes up to it.");

    public static final Setting<Long> PLACEMENT_VOLUME_COLD = key("terrace.placement.volume.cold", "NameNode")
            .millis("1d", 1_000, DAYS_24)
            .doc("A block that a rule gives a range of tiers goes down to the slowest of them once it was not"
                    + " accessed for so long.");

    public static final Setting<Long> PLACEMENT_VOLUME_OTHERS_REST = key(
                    "terrace.placement.volume.others.rest", "NameNode")
            .millis("6h", 0, DAYS_24)
            .doc("A replica that changed its storage type without an order of Terrace (Mover, Satisfier, Balancer)"
                    + " stays there for so long.");

    public static final Setting<Integer> PLACEMENT_CONTROL_SHARE = key("terrace.placement.control.share", "NameNode")
            .whole(1, 0, 10)
            .doc(
                    "Percent of blocks, by a hash of their id, that are never promoted for heat, neither into memory nor to a"
                            + " faster volume, so that placementctl report can say what tiers are worth; 0 turns it off."
                            + " What rules, pins and operators ask for holds.");

    public static final Setting<Long> PLACEMENT_CONTROL_PAUSE = key("terrace.placement.control.pause", "NameNode")
            .millis("1h", 1_000, DAYS_24)
            .doc("Nothing climbs by heat for so long into a tier from which reads were slower than those of the"
                    + " control sample; then it is tried again.");

    public static final Setting<Long> PLACEMENT_INTERVAL = key("terrace.placement.interval", "NameNode")
            .millis("250ms", 10, DAYS_24)
            .doc("Time between two turns of the placement loop.");

    public static final Setting<Long> PLACEMENT_HEARTBEAT_INTERVAL = key(
                    "terrace.placement.heartbeat.interval", "NameNode")
            .millis("250ms", 50, DAYS_24)
            .doc(
                    "Time between two heartbeats of a DataNode. With more than 25 DataNodes it is longer: 10 ms for each of them up to 1 s, or 1 ms for each where that is more.");

    public static final Setting<Long> PLACEMENT_NODE_EXPIRY = key("terrace.placement.node.expiry", "NameNode")
            .millis("10s", 1_000, DAYS_24)
            .doc("A DataNode that is silent for longer gets no orders, and no block is assigned to it.");

    public static final Setting<Long> PLACEMENT_NODE_FORGET = key("terrace.placement.node.forget", "NameNode")
            .millis("10m", 10_000, DAYS_24)
            .doc("A DataNode that is silent for longer is forgotten.");

    public static final Setting<Integer> PLACEMENT_TRACKED_BLOCKS = key("terrace.placement.tracked.blocks", "NameNode")
            .whole(500_000, 1_000, 20_000_000)
            .doc("Blocks whose heat is kept, about 280 bytes of heap each.");

    public static final Setting<Integer> PLACEMENT_HEARTBEAT_ENTRIES = key(
                    "terrace.placement.heartbeat.entries", "NameNode")
            .whole(10_000, 8_192, 1_000_000)
            .doc("Entries of each list that are taken from one heartbeat.");

    public static final Setting<Integer> PLACEMENT_LOCK_BLOCKS = key("terrace.placement.lock.blocks", "NameNode")
            .whole(256, 1, 10_000)
            .doc("Blocks looked at in one hold of the NameNode's read lock.");

    public static final Setting<Long> PLACEMENT_HEAT_HALF_LIFE = key("terrace.placement.heat.half-life", "NameNode")
            .millis("10m", 1_000, DAYS_24)
            .doc("Half-life of heat, where the home of a block and placementctl top are concerned.");

    public static final Setting<Integer> PLACEMENT_FIRST_READ_VAIN = key(
                    "terrace.placement.first-read.vain", "NameNode")
            .whole(10, 0, 50)
            .doc("Blocks of directories where nearly all that is written is read soon are copied into memory once"
                    + " they are written, before their first read. This is the percent of all bytes copied into"
                    + " memory that may turn out not to be read in time; 0 turns such copies off.");

    public static final Setting<Long> PLACEMENT_FIRST_READ_WITHIN = key(
                    "terrace.placement.first-read.within", "NameNode")
            .millis("6h", 1_000, DAYS_24)
            .doc("The time from a write to the first read within which the read counts as soon; for so long a copy"
                    + " waits for it.");

    public static final Setting<Integer> PLACEMENT_READ_AHEAD_BLOCKS = key(
                    "terrace.placement.read-ahead.blocks", "NameNode")
            .whole(8, 0, 64)
            .doc("Blocks of files that are read on once they are begun are copied into memory ahead of their reader, at"
                    + " most so many blocks ahead; 0 turns that off, as terrace.placement.first-read.vain does, which also"
                    + " bounds what is copied so in vain.");

    public static final Setting<Path> DATANODE_MEMORY_DIR = key("terrace.datanode.memory.dir", "DataNode")
            .absolutePath()
            .doc("Directory on tmpfs for copies of hot blocks; one for each DataNode, writable by its user,"
                    + " passable by clients. Unset: the DataNode is stock.");

    public static final Setting<Long> DATANODE_MEMORY_CAPACITY = key("terrace.datanode.memory.capacity", "DataNode")
            .bytes("", PAGE, PETABYTE)
            .doc("Bytes that copies in memory may use, such as 4g. Unset: the DataNode is stock.");

    public static final Setting<Long> DATANODE_MEMORY_CAPACITY_MAX = key(
                    "terrace.datanode.memory.capacity.max", "DataNode")
            .bytes("", PAGE, PETABYTE)
            .doc("Most bytes that placementctl resize may let copies in memory use, at least"
                    + " terrace.datanode.memory.capacity. Unset: that capacity, so memory can only be made smaller.");

    public static final Setting<Boolean> DATANODE_MEMORY_REQUIRE_TMPFS = key(
                    "terrace.datanode.memory.require-tmpfs", "DataNode")
            .flag(true)
            .doc("Whether a directory that is not on tmpfs is refused; false only warns.");

    public static final Setting<Integer> DATANODE_MEMORY_EXTENTS_MAX = key(
                    "terrace.datanode.memory.extents.max", "DataNode")
            .whole(65_536, 1, EXTENTS)
            .doc("Copies that there may be at one time.");

    public static final Setting<Integer> DATANODE_MEMORY_COPY_THREADS = key(
                    "terrace.datanode.memory.copy.threads", "DataNode")
            .whole(2, 1, 64)
            .doc("Copies made at one time.");

    public static final Setting<Long> DATANODE_MEMORY_COPY_BANDWIDTH = key(
                    "terrace.datanode.memory.copy.bandwidth", "DataNode")
            .bytes("0", 0, PETABYTE)
            .doc("Bytes a second at which this DataNode makes copies and moves replicas between volumes, whatever"
                    + " the service allows. 0: no limit.");

    public static final Setting<Integer> DATANODE_MEMORY_COPY_QUEUE = key(
                    "terrace.datanode.memory.copy.queue", "DataNode")
            .whole(4_096, 1, 1 << 20)
            .doc("Orders to make a copy that may wait; more are refused.");

    public static final Setting<Integer> DATANODE_MOVE_THREADS = key("terrace.datanode.move.threads", "DataNode")
            .whole(2, 1, 64)
            .doc("Replicas moved between volumes at one time.");

    public static final Setting<Integer> DATANODE_MOVE_QUEUE = key("terrace.datanode.move.queue", "DataNode")
            .whole(1_024, 1, 1 << 20)
            .doc("Orders to move a replica between volumes that may wait; more are refused.");

    public static final Setting<Boolean> DATANODE_MOVE_GUARD = key("terrace.datanode.move.guard", "DataNode")
            .flag(false)
            .doc("Whether Mover, Satisfier and Balancer are refused replicas that a range of tiers keeps where they"
                    + " are, for clusters that run a Mover regularly. The Mover then ends with NO_MOVE_PROGRESS.");

    public static final Setting<Long> DATANODE_MEMORY_SCRUB_BANDWIDTH = key(
                    "terrace.datanode.memory.scrub.bandwidth", "DataNode")
            .bytes("8m", 0, PETABYTE)
            .doc("Bytes a second at which copies in memory are checked against their checksums in the background."
                    + " 0: never.");

    public static final Setting<Long> DATANODE_MEMORY_SCRUB_INTERVAL = key(
                    "terrace.datanode.memory.scrub.interval", "DataNode")
            .millis("1h", 1, DAYS_30)
            .doc("Least time from the beginning of one check of all copies to that of the next.");

    public static final Setting<Boolean> DATANODE_MEMORY_DROP_SOURCE_PAGES = key(
                    "terrace.datanode.memory.drop-source-pages", "DataNode")
            .flag(true)
            .doc("Whether the page cache of a replica is dropped once its copy is in memory, so that it does not"
                    + " stand there twice.");

    public static final Setting<Long> DATANODE_MEMORY_LENT_TIMEOUT = key(
                    "terrace.datanode.memory.lent.timeout", "DataNode")
            .millis("", 0, DAYS_30)
            .doc("How long the bytes of a retired copy count as used because a stock short-circuit client holds its"
                    + " file descriptor. Unset: as long as stock's cache waits,"
                    + " dfs.datanode.cache.revocation.timeout.ms (15 minutes).");

    public static final Setting<Integer> DATANODE_WRITE_CONNECTIONS_MAX = key(
                    "terrace.datanode.write.connections.max", "DataNode")
            .whole(256, 0, 65_536)
            .doc("Connections on which clients may write blocks over the channel at one time. Each has a thread,"
                    + " and a buffer of 320 KB while it writes; the same again where the block has further"
                    + " replicas. Clients beyond it write through stock HDFS. 0: all do.");

    public static final Setting<Long> DATANODE_WRITE_WINDOWS_MAX = key("terrace.datanode.write.windows.max", "DataNode")
            .bytes("128m", 0)
            .doc(
                    "Memory that clients may write into by RDMA (terrace.channel.verbs.port.offset), 4 MB for each connection on which more than 1 MB is written. It is pinned while it is used, and part of terrace.channel.verbs.registered.max. Clients beyond it write over tcp. 0: all do.");

    public static final Setting<Long> DATANODE_WRITE_LAG_MAX = key("terrace.datanode.write.lag.max", "DataNode")
            .bytes("64m", 1 << 20, 1L << 30)
            .doc("How many bytes of a block the next DataNode of its pipeline may lack before no more of it is"
                    + " taken from the client.");

    public static final Setting<Long> DATANODE_WRITE_THROUGH_MAX = key("terrace.datanode.write.through.max", "DataNode")
            .bytes("1g", 0)
            .doc("Memory that copies of blocks may take which are being written, and which nobody can read yet,"
                    + " where clients (terrace.client.write.through), rules or annotations ask for such copies. It is part of"
                    + " terrace.datanode.memory.capacity, and nothing is evicted for it: blocks beyond it are"
                    + " written without. 0: all are.");

    public static final Setting<Boolean> DATANODE_NVM_ENABLED = key("terrace.datanode.nvm.enabled", "DataNode")
            .flag(true)
            .doc("Whether replicas on volumes tagged [NVDIMM] are granted to clients as they are, without a copy in"
                    + " memory: to those of other hosts where terrace.channel.tcp.port.offset is set, to those of"
                    + " this host by terrace.datanode.nvm.local.dir.");

    public static final Setting<String> DATANODE_NVM_LOCAL_DIR = key("terrace.datanode.nvm.local.dir", "DataNode")
            .text("")
            .doc("Directories in which clients of this host open replicas on NVM that they are granted: absolute"
                    + " paths, separated by commas, one on the file system of each volume tagged [NVDIMM], below"
                    + " the same mount, outside of all data directories. Each belongs to the DataNode's user, and"
                    + " no group or other user may write it. A replica appears there as a hard link with a random"
                    + " name until the client has opened it. Unset: NVM is granted to clients of other hosts"
                    + " only.");

    public static final Setting<Integer> DATANODE_NVM_EXTENTS_MAX = key("terrace.datanode.nvm.extents.max", "DataNode")
            .whole(16_384, 1, EXTENTS)
            .doc("Replicas on NVM that may be granted at one time; each has a hard link on its volume. The one"
                    + " unread longest is dropped first.");

    public static final Setting<Long> DATANODE_REGION_SIZE = key("terrace.datanode.region.size", "DataNode")
            .bytes("16t", 2 * PAGE, 1L << 60)
            .doc("Size of the virtual range in which copies have addresses; at least twice the memory tier's"
                    + " capacity.");

    public static final Setting<Long> DATANODE_REGION_REST = key("terrace.datanode.region.rest", "DataNode")
            .millis("10s", 0, DAYS_30)
            .doc("How long an address is not used again after its copy is gone.");

    public static final Setting<Integer> DATANODE_GRANTS_MAX = key("terrace.datanode.grants.max", "DataNode")
            .whole(262_144, 1, 1 << 24)
            .doc("Grants that may be held at one time; one user holds half of them at most, so that others find some.");

    public static final Setting<Integer> DATANODE_GRANTS_PER_PEER_MAX = key(
                    "terrace.datanode.grants.per-peer.max", "DataNode")
            .whole(16_384, 1, 1 << 24)
            .doc("Grants that one client process may hold.");

    public static final Setting<Long> DATANODE_GRANTS_LEASE = key("terrace.datanode.grants.lease", "DataNode")
            .millis("60s", 100, DAYS_30)
            .doc("Longest lease of a grant; a grant never outlives its block token.");

    public static final Setting<Long> DATANODE_GRANTS_DEADLINE = key("terrace.datanode.grants.deadline", "DataNode")
            .millis("5s", 10, DAYS_30)
            .doc("How long a read begun under a lease may take; a retired copy is kept for so long after the last"
                    + " lease.");

    public static final Setting<Long> DATANODE_HEARTBEAT_INTERVAL = key(
                    "terrace.datanode.heartbeat.interval", "DataNode")
            .millis("1s", 10, 60_000)
            .doc("Time between heartbeats while no placement service answers; one that does says when the next is"
                    + " due (terrace.placement.heartbeat.interval).");

    public static final Setting<Long> DATANODE_HEARTBEAT_INTERVAL_MIN = key(
                    "terrace.datanode.heartbeat.interval.min", "DataNode")
            .millis("200ms", 1, 60_000)
            .doc("Least time between heartbeats when there is something new.");

    public static final Setting<Long> DATANODE_HEARTBEAT_TIMEOUT = key("terrace.datanode.heartbeat.timeout", "DataNode")
            .millis("5s", 100, 120_000)
            .doc("How long a heartbeat may take.");

    public static final Setting<Integer> DATANODE_HEAT_BLOCKS_MAX = key("terrace.datanode.heat.blocks.max", "DataNode")
            .whole(16_384, 16, 1 << 22)
            .doc("Blocks whose reads are remembered until a heartbeat carries them; beyond it the oldest are"
                    + " forgotten and counted.");

    private TerraceSettings() {}

    /** All settings, in the order of this list. */
    public static Collection<Setting<?>> all() {
        return ALL.all();
    }

    /** The setting of that exact key, or null. */
    public static @Nullable Setting<?> find(String key) {
        return ALL.find(key);
    }

    private static SettingList.Key key(String key, String readBy) {
        return ALL.key(key, readBy);
    }
}
