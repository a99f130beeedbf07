package io.terrace.metrics;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The complete list of Terrace's metrics. {@code docs/metrics.md} is generated from it.
 *
 * <p>Ids are dotted and lower case; a unit that is not "count" ends the id. A counter only grows within one process.
 */
public enum Metric {
    // Client: what was served through grants, and every step down to stock HDFS by its reason.
    CLIENT_GRANTED_SHM_READS(
            "client.granted.shm.reads",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads served from a granted extent by a positional file read or a mapping."),
    CLIENT_GRANTED_SHM_BYTES(
            "client.granted.shm.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Bytes served from granted extents on the same host."),
    CLIENT_GRANTED_MAPPED_BYTES(
            "client.granted.mapped.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "The part of the granted bytes that was copied out of a mapping."),
    CLIENT_MAPPED_BYTES(
            "client.mapped.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.CLIENT,
            "Bytes of extents that are mapped now; bounded by terrace.client.mapped.max."),
    CLIENT_GRANTS("client.grants", Unit.COUNT, Kind.GAUGE, Where.CLIENT, "Grants held now."),
    CLIENT_GRANTS_ASKED(
            "client.grants.asked", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants asked of DataNodes of this host."),
    CLIENT_GRANTS_GIVEN("client.grants.given", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants received and opened."),
    CLIENT_GRANTS_REVOKED(
            "client.grants.revoked",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Grants given back because the DataNode asked for them."),
    CLIENT_CONNECTIONS(
            "client.connections",
            Unit.COUNT,
            Kind.GAUGE,
            Where.CLIENT,
            "DataNodes of this host that the client is connected to."),
    CLIENT_REPORTED_BYTES(
            "client.reported.bytes", Unit.BYTES, Kind.COUNTER, Where.CLIENT, "Granted bytes reported to DataNodes."),
    CLIENT_REPORTED_READS(
            "client.reported.reads", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Granted reads reported to DataNodes."),
    CLIENT_UNREPORTED_BYTES(
            "client.unreported.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Granted bytes that could not be reported any more: their DataNode was gone."),
    CLIENT_FALLBACK_OFF(
            "client.fallback.off",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: terrace.enabled is false or terrace.channel.dir is unset."),
    CLIENT_FALLBACK_SETTINGS(
            "client.fallback.settings",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: a terrace.* setting is wrong; the log names it."),
    CLIENT_FALLBACK_NO_DATANODE(
            "client.fallback.no_datanode",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: no DataNode of this host answers in terrace.channel.dir."),
    CLIENT_FALLBACK_NOT_RESIDENT(
            "client.fallback.not_resident",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the block is not resident on this host."),
    CLIENT_FALLBACK_UNDER_CONSTRUCTION(
            "client.fallback.under_construction",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers of the replica accessor left to stock HDFS: the file is being written."),
    CLIENT_FALLBACK_REFUSED(
            "client.fallback.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the DataNode refused the grant."),
    CLIENT_FALLBACK_TIMEOUT(
            "client.fallback.timeout",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the DataNode did not answer in time."),
    CLIENT_FALLBACK_UNREACHABLE(
            "client.fallback.unreachable",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the granted extent cannot be opened here, as in a container that does not see the memory tier."),
    CLIENT_FALLBACK_LENGTH(
            "client.fallback.length",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the extent is shorter than what the reader may see."),
    CLIENT_FALLBACK_LIMIT(
            "client.fallback.limit",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: a limit of the client is reached."),
    CLIENT_FALLBACK_FAILED(
            "client.fallback.failed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: anything else; the log says what."),
    CLIENT_READS_ABANDONED(
            "client.reads.abandoned",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads through a grant that ended meanwhile and could not be renewed: done again by stock HDFS."),

    // Client: the FileSystem class.
    CLIENT_FS_MEMORY_READERS(
            "client.fs.memory.readers",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Block readers of the FileSystem class that were opened on memory, of this host or another."),
    CLIENT_FS_STOCK_READERS(
            "client.fs.stock.readers",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Block readers of the FileSystem class that were left to stock HDFS from the start."),
    CLIENT_FS_STOCK_PREFERRED(
            "client.fs.stock.preferred",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Block readers left to stock HDFS although another host has the block in memory: stock took less lately, or had to be tried to know."),
    CLIENT_FS_STEPPED_DOWN(
            "client.fs.stepped_down",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Block readers of the FileSystem class that failed on memory and went on with stock HDFS."),
    CLIENT_REMOTE_READS(
            "client.remote.reads",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Pieces read from the memory or NVM of DataNodes over tcp."),
    CLIENT_REMOTE_BYTES(
            "client.remote.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Bytes read from the memory or NVM of DataNodes over tcp."),
    CLIENT_REMOTE_NVM_BYTES(
            "client.remote.nvm.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "The part of the bytes read over tcp that was granted on NVM."),
    CLIENT_REMOTE_CONNECTIONS(
            "client.remote.connections",
            Unit.COUNT,
            Kind.GAUGE,
            Where.CLIENT,
            "DataNodes that the client has a tcp channel to."),
    CLIENT_REMOTE_GRANTS("client.remote.grants", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants received over tcp."),
    CLIENT_REMOTE_REFUSED("client.remote.refused", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants refused over tcp."),
    CLIENT_REMOTE_UNREACHABLE(
            "client.remote.unreachable",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "DataNodes left to stock HDFS for a while: their tcp channel did not answer, or ended."),
    CLIENT_REMOTE_CORRUPT(
            "client.remote.corrupt",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads over tcp whose bytes did not match the block's checksums: done again by stock HDFS."),
    CLIENT_REMOTE_ENCRYPTED(
            "client.remote.encrypted",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "File systems without tcp channel because data transfer is to be protected or encrypted."),
    CLIENT_VERBS_READS(
            "client.verbs.reads",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Pieces read from the memory or NVM of DataNodes by RDMA; they count as remote reads too."),
    CLIENT_VERBS_BYTES(
            "client.verbs.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Bytes read from the memory or NVM of DataNodes by RDMA; they count as remote bytes too."),
    CLIENT_VERBS_STEPPED_DOWN(
            "client.verbs.stepped_down",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads and connections by RDMA that did not succeed; tcp served instead."),
    CLIENT_FS_NOT_LINKED(
            "client.fs.not_linked",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "File systems that are stock HDFS because Hadoop's classes here are not those they were made for."),

    // The server of grants in a DataNode.
    CHANNEL_CONNECTIONS(
            "channel.connections", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Clients connected to the grant server."),
    CHANNEL_CONNECTIONS_REFUSED(
            "channel.connections.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections cut at once: too many, in all, of one user, or over tcp of one address."),
    CHANNEL_PEERS_CUT(
            "channel.peers.cut",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections cut for garbage, silence or a missed deadline, of this host and of others."),
    CHANNEL_PEERS_LOST(
            "channel.peers.lost",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections that ended without a goodbye; what such a client read since its last report is unknown."),
    CHANNEL_GRANTS("channel.grants", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Grants given."),
    CHANNEL_GRANTS_REFUSED(
            "channel.grants.refused", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Grants refused, for any reason."),
    CHANNEL_LINKS_EXPIRED(
            "channel.links.expired",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Granted links that the client did not open in time."),
    CHANNEL_TCP_CONNECTIONS(
            "channel.tcp.connections",
            Unit.COUNT,
            Kind.GAUGE,
            Where.DATANODE,
            "Connections of clients of other hosts, or of containers, to the tcp channel; a busy client has several."),
    CHANNEL_TCP_CHECKSUM_BYTES(
            "channel.tcp.checksum.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "Checksums of granted blocks on the heap; bounded by terrace.channel.tcp.checksums.max."),
    CHANNEL_TCP_CHECKSUMS_REFUSED(
            "channel.tcp.checksums.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Grants refused to clients of other hosts, since there was no room for the block's checksums."),
    CHANNEL_VERBS_CONNECTIONS(
            "channel.verbs.connections", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Clients connected by RDMA."),
    CHANNEL_VERBS_EXTENTS(
            "channel.verbs.extents",
            Unit.COUNT,
            Kind.GAUGE,
            Where.DATANODE,
            "Extents registered with the RDMA device, from their first grant until they are freed."),
    CHANNEL_VERBS_EXTENT_BYTES(
            "channel.verbs.extent.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "Their bytes and checksums, pinned; bounded by terrace.channel.verbs.registered.max."),
    CHANNEL_VERBS_REFUSED(
            "channel.verbs.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Grants of extents that could not be registered, for want of room or locked memory; tcp alone serves them."),
    CHANNEL_VERBS_HELD_OFF(
            "channel.verbs.held_off",
            Unit.COUNT,
            Kind.GAUGE,
            Where.DATANODE,
            "Addresses that no RDMA connection is taken from for a minute, since too many from there were of no use, as those of who guesses keys are."),
    CHANNEL_REVOKES("channel.revokes", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Revocations sent to clients."),

    // The placement service in the NameNode.
    PLACEMENT_ACTIVE(
            "placement.active",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "1 while this NameNode decides, 0 on a standby."),
    PLACEMENT_EPOCH(
            "placement.epoch",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "Epoch of this NameNode's decisions; grows with every failover."),
    PLACEMENT_DATANODES("placement.datanodes", Unit.COUNT, Kind.GAUGE, Where.NAMENODE, "DataNodes that are heard of."),
    PLACEMENT_DATANODES_SILENT(
            "placement.datanodes.silent",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "DataNodes whose heartbeats are overdue."),
    PLACEMENT_HEARTBEATS("placement.heartbeats", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Heartbeats of DataNodes."),
    PLACEMENT_HEARTBEATS_AGAIN(
            "placement.heartbeats.again",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Heartbeats that came again because their answer was lost; answered again, counted once."),
    PLACEMENT_HEARTBEAT_ENTRIES_CUT(
            "placement.heartbeat.entries.cut",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Entries of heartbeats that were beyond a limit and not taken, or cut to it."),
    PLACEMENT_READS(
            "placement.reads", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Block reads that DataNodes reported."),
    PLACEMENT_READ_BYTES(
            "placement.read.bytes", Unit.BYTES, Kind.COUNTER, Where.NAMENODE, "Bytes read that DataNodes reported."),
    PLACEMENT_READ_MEMORY_BYTES(
            "placement.read.memory.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.NAMENODE,
            "The part of the bytes read that DataNodes served from memory copies."),
    PLACEMENT_HEAT_STALE(
            "placement.heat.stale",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Reports of heat for an older generation stamp than the one known."),
    PLACEMENT_HEAT_UNCONFIRMED(
            "placement.heat.unconfirmed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Reports of heat that did not count beside others', or pin a file by a rule: the NameNode's map has no such replica on that DataNode, or was not asked yet."),
    PLACEMENT_BLOCKS_TRACKED(
            "placement.blocks.tracked", Unit.COUNT, Kind.GAUGE, Where.NAMENODE, "Blocks whose heat is known."),
    PLACEMENT_BLOCKS_RESIDENT(
            "placement.blocks.resident", Unit.COUNT, Kind.GAUGE, Where.NAMENODE, "Memory copies on all DataNodes."),
    PLACEMENT_BLOCKS_PINNED(
            "placement.blocks.pinned", Unit.COUNT, Kind.GAUGE, Where.NAMENODE, "Blocks of pinned files."),
    PLACEMENT_HOMES_CHANGED(
            "placement.homes.changed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Blocks whose home moved to another DataNode."),
    PLACEMENT_PROMOTIONS_WISHED(
            "placement.promotions.wished",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Promotions that policies wished for."),
    PLACEMENT_PROMOTIONS_SENT(
            "placement.promotions.sent", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Promotions ordered of DataNodes."),
    PLACEMENT_PROMOTIONS_DONE(
            "placement.promotions.done", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Promotions carried out."),
    PLACEMENT_DROPS_SENT(
            "placement.drops.sent",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Drops of memory copies ordered of DataNodes."),
    PLACEMENT_DROPS_DONE("placement.drops.done", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Drops carried out."),
    PLACEMENT_MOVES_WAITING(
            "placement.moves.waiting",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "Moves that wait for the budget or a heartbeat."),
    PLACEMENT_MOVES_IN_FLIGHT(
            "placement.moves.in_flight",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "Moves that DataNodes are carrying out."),
    PLACEMENT_MOVES_FAILED(
            "placement.moves.failed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Moves that a DataNode refused, failed or lost."),
    PLACEMENT_MOVES_UNFIT(
            "placement.moves.unfit",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Promotions that the NameNode's maps ruled out: deleted, changed, being written, erasure-coded, no replica there."),
    PLACEMENT_MOVES_WITHDRAWN(
            "placement.moves.withdrawn",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Moves taken back before they were sent."),
    PLACEMENT_MOVES_HELD_BACK(
            "placement.moves.held_back",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Wishes not followed: paused, off, failed of late, or too many waiting."),
    PLACEMENT_MOVES_UNPAID(
            "placement.moves.unpaid",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Memory copies that left without having served a byte."),
    PLACEMENT_PROMOTED_BYTES(
            "placement.promoted.bytes", Unit.BYTES, Kind.COUNTER, Where.NAMENODE, "Bytes copied into memory."),
    PLACEMENT_DROPPED_BYTES(
            "placement.dropped.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.NAMENODE,
            "Bytes of memory copies dropped on orders."),
    PLACEMENT_RESULTS_STALE(
            "placement.results.stale",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Results of orders that are not open, e.g. of an earlier epoch."),
    PLACEMENT_MEMORY_BYTES(
            "placement.memory.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.NAMENODE,
            "NameNode heap that heat and policies hold, estimated."),
    PLACEMENT_TURN_NANOSECONDS(
            "placement.turn.nanoseconds",
            Unit.NANOSECONDS,
            Kind.COUNTER,
            Where.NAMENODE,
            "Time the loop's thread worked."),
    PLACEMENT_LOCK_HOLDS(
            "placement.lock.holds",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Times the NameNode's read lock was taken."),
    PLACEMENT_LOCK_BLOCKS(
            "placement.lock.blocks",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Blocks looked at under the NameNode's read lock."),
    PLACEMENT_LOCK_NANOSECONDS(
            "placement.lock.nanoseconds",
            Unit.NANOSECONDS,
            Kind.COUNTER,
            Where.NAMENODE,
            "Time the NameNode's read lock was held."),
    PLACEMENT_LOCK_LONGEST_NANOSECONDS(
            "placement.lock.longest.nanoseconds",
            Unit.NANOSECONDS,
            Kind.GAUGE,
            Where.NAMENODE,
            "Longest hold of the NameNode's read lock so far."),
    PLACEMENT_POLICY_SWITCHES(
            "placement.policy.switches",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Times another policy came into force."),
    PLACEMENT_POLICY_REFUSED(
            "placement.policy.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Policies that were not taken: a bad policy file, or a policy that could not be made."),
    PLACEMENT_POLICY_FILE_BAD(
            "placement.policy.file.bad",
            Unit.COUNT,
            Kind.GAUGE,
            Where.NAMENODE,
            "1 while the policy file cannot be used as it stands, else 0."),
    PLACEMENT_RULES_LOOKUPS(
            "placement.rules.lookups",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Paths of blocks looked up for the rules of the policy."),
    PLACEMENT_RULES_DEFERRED(
            "placement.rules.deferred",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Reports of heat that no policy heard of, because too many paths were to be looked up for one heartbeat."),
    PLACEMENT_RULES_PINS_REFUSED(
            "placement.rules.pins.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Files that a rule would have pinned beyond its bound, or that of all pins."),
    PLACEMENT_ACCESS_LOG_ROWS(
            "placement.access_log.rows",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Accesses written to the log of accesses."),
    PLACEMENT_ACCESS_LOG_LOST(
            "placement.access_log.lost",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Accesses not logged, because the writer could not keep up or the disk failed."),
    PLACEMENT_ACCESS_LOG_UNNAMED(
            "placement.access_log.unnamed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Reports logged of blocks whose paths are not, because too many blocks waited to be named."),
    PLACEMENT_ACCESS_LOG_BYTES(
            "placement.access_log.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.NAMENODE,
            "Bytes of the log of accesses on disk."),
    PLACEMENT_ADMIN_CALLS("placement.admin.calls", Unit.COUNT, Kind.COUNTER, Where.NAMENODE, "Calls of placementctl."),
    PLACEMENT_ADMIN_REFUSED(
            "placement.admin.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.NAMENODE,
            "Calls of placementctl refused for want of rights, or because others are being answered."),

    // The memory tier of a DataNode.
    MEMORY_CAPACITY_BYTES(
            "memory.capacity.bytes", Unit.BYTES, Kind.GAUGE, Where.DATANODE, "What the memory tier may hold."),
    MEMORY_USED_BYTES(
            "memory.used.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "What the memory tier holds, retiring copies included."),
    MEMORY_RETIRING_BYTES(
            "memory.retiring.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "The part of the used bytes that is no longer served and waits for its last readers."),
    MEMORY_KEPT_OPEN_BYTES(
            "memory.kept_open.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "Bytes of removed copies that stock short-circuit clients keep open; the capacity is less by them. 0 where the memory directory is no mount of its own."),
    MEMORY_PINNED_BYTES(
            "memory.pinned.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "The part of the used bytes that cacheadmin directives ask for."),
    MEMORY_EXTENTS(
            "memory.extents", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Copies in the memory tier, in whatever state."),
    MEMORY_GRANTS("memory.grants", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Grants that are held now."),
    MEMORY_PROMOTED("memory.promoted", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Copies made and served."),
    MEMORY_PROMOTED_BYTES(
            "memory.promoted.bytes", Unit.BYTES, Kind.COUNTER, Where.DATANODE, "Bytes copied to memory and served."),
    MEMORY_PROMOTED_MS(
            "memory.promoted.milliseconds",
            Unit.MILLISECONDS,
            Kind.COUNTER,
            Where.DATANODE,
            "Time spent on copies that were served."),
    MEMORY_RETIRED_ORDERED(
            "memory.retired.ordered",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies retired because the service or the end of a directive ordered it."),
    MEMORY_RETIRED_MADE_ROOM(
            "memory.retired.made_room",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies retired to make room for a pinned block."),
    MEMORY_RETIRED_CHANGED(
            "memory.retired.changed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies retired because their replica changed, moved or went away."),
    MEMORY_RETIRED_OTHER(
            "memory.retired.other",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies retired for a pool or DataNode that stops, a failed scrub, or because Terrace was switched off."),
    MEMORY_FULL("memory.full", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Copies not made for want of room."),
    MEMORY_KEPT_OPEN_REFUSED(
            "memory.kept_open.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Descriptors of copies not passed to stock short-circuit clients, who keep too many removed ones open and got the replica's."),
    MEMORY_REPLICAS_CORRUPT(
            "memory.replicas.corrupt",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Replicas that failed their checksums when they were to be copied, and were reported."),
    MEMORY_NO_SLOT(
            "memory.no_slot",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies served to stock readers only, because the slot table had no slot for them."),
    MEMORY_SCRUBBED_BYTES(
            "memory.scrubbed.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "Bytes in memory checked again in the background."),
    MEMORY_SCRUB_FAILED(
            "memory.scrub.failed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies that no longer matched their checksums and were retired."),
    MEMORY_LEFTOVERS_ADOPTED(
            "memory.leftovers.adopted",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies of an earlier process that were verified in full and served again."),
    MEMORY_LEFTOVERS_DELETED(
            "memory.leftovers.deleted",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Copies of an earlier process that were deleted."),
    NVM_EXTENTS(
            "nvm.extents",
            Unit.COUNT,
            Kind.GAUGE,
            Where.DATANODE,
            "Replicas on NVM that are extents, in whatever state."),
    NVM_EXTENT_BYTES(
            "nvm.extent.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.DATANODE,
            "Bytes of replicas on NVM that are extents; they take no memory."),
    NVM_GRANTS("nvm.grants", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Grants that are held now on replicas on NVM."),
    NVM_VERIFIED(
            "nvm.verified",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Replicas on NVM that were verified in full and became extents."),
    NVM_VERIFIED_BYTES(
            "nvm.verified.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "Bytes of the replicas on NVM that were verified and became extents."),
    NVM_NOT_ADMITTED(
            "nvm.not_admitted",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Replicas on NVM that were read and did not become extents: no room, too many wait, changed meanwhile, or no link could be made."),
    NVM_REPLICAS_CORRUPT(
            "nvm.replicas.corrupt",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Replicas on NVM that did not match their checksums and were reported to the NameNode."),
    NVM_RETIRED(
            "nvm.retired",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Replicas on NVM that stopped being extents: changed, gone, copied to memory, or longest unread when another took the place."),
    READS_STOCK_MEMORY(
            "reads.stock.memory",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Reads of stock clients over the DataNode's socket that were served from memory."),
    READS_STOCK_MEMORY_BYTES(
            "reads.stock.memory.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "Bytes sent to stock clients from memory."),
    READS_STOCK_REPLICA(
            "reads.stock.replica",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Reads of stock clients over the DataNode's socket that were served from the replica."),
    READS_STOCK_REPLICA_BYTES(
            "reads.stock.replica.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "Bytes sent to stock clients from replicas."),
    READS_DESCRIPTORS_MEMORY(
            "reads.descriptors.memory",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "File descriptors of memory copies passed to stock short-circuit clients; what they read is theirs to know."),
    READS_DESCRIPTORS_REPLICA(
            "reads.descriptors.replica",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "File descriptors of replicas passed to stock short-circuit clients."),
    READS_GRANTED(
            "reads.granted",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Reads through grants, as reported by clients and believed. As in stock HDFS a read is an opened block stream."),
    READS_GRANTED_BYTES(
            "reads.granted.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "Bytes read through grants, as reported by clients and believed."),
    READS_GRANTED_NVM(
            "reads.granted.nvm",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "The part of the reads through grants that was served from replicas on NVM."),
    READS_GRANTED_NVM_BYTES(
            "reads.granted.nvm.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "The part of the bytes read through grants that was served from replicas on NVM."),
    READS_GRANTED_REJECTED(
            "reads.granted.rejected",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Reports, or parts of them, that were not believed: no such grant, or more than a process can read."),
    READS_GRANTED_UNREPORTED_BYTES(
            "reads.granted.unreported.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.DATANODE,
            "The most that clients which went without a goodbye can have read since their last report."),
    HEAT_DROPPED(
            "heat.dropped",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Blocks whose reads were forgotten before a heartbeat could carry them."),
    HEARTBEATS("heartbeats", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Heartbeats answered by a placement service."),
    HEARTBEATS_FAILED(
            "heartbeats.failed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Heartbeats that no placement service answered."),
    HEARTBEATS_OUTRANKED(
            "heartbeats.outranked",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Heartbeats answered under an epoch below one that was seen before, of which off alone is obeyed."),
    ORDERS("orders", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Orders of the placement service taken."),
    ORDERS_REFUSED(
            "orders.refused", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Orders of the placement service refused.");

    /** What a value counts. */
    public enum Unit {
        COUNT,
        BYTES,
        MILLISECONDS,
        NANOSECONDS,
        RATIO
    }

    /** How a value moves. */
    public enum Kind {
        /** Only grows within one process. */
        COUNTER,
        /** Goes up and down. */
        GAUGE
    }

    /** Which process has it. */
    public enum Where {
        CLIENT("TerraceClient"),
        DATANODE("TerraceDataNode"),
        NAMENODE("TerracePlacement");

        private final String record;

        Where(String record) {
            this.record = record;
        }

        /** Name of the metrics2 record; never changed, since dashboards use it. */
        public String record() {
            return record;
        }
    }

    private static final Map<String, Metric> BY_ID =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Metric::id, Function.identity()));

    private final String id;
    private final Unit unit;
    private final Kind kind;
    private final Where where;
    private final String doc;

    Metric(String id, Unit unit, Kind kind, Where where, String doc) {
        this.id = id;
        this.unit = unit;
        this.kind = kind;
        this.where = where;
        this.doc = doc;
    }

    /** Dotted name without the leading {@code terrace.}. */
    public String id() {
        return id;
    }

    public Unit unit() {
        return unit;
    }

    public Kind kind() {
        return kind;
    }

    public Where where() {
        return where;
    }

    public String doc() {
        return doc;
    }

    /** The metric of that id, or null. */
    public static @org.jspecify.annotations.Nullable Metric byId(String id) {
        return BY_ID.get(id);
    }
}
