package io.terrace.metrics;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The complete list of Terrace's metrics. {@code docs/metrics.md} is generated from it.
 *
 * <p>Ids are dotted and lower case. The first word says which process has it: {@code client}, {@code placement} (the
 * NameNode), any other the DataNode. A unit that is not "count" ends the id.
 */
public enum Metric {
    // Client: what was served through grants, and every step down to stock HDFS by its reason.
    CLIENT_GRANTED_SHM_READS(
            "client.granted.shm.reads", "Reads served from a granted extent by a positional file read or a mapping."),
    CLIENT_GRANTED_SHM_BYTES("client.granted.shm.bytes", "Bytes served from granted extents on the same host."),
    CLIENT_GRANTED_SHM_NVM_BYTES(
            "client.granted.shm.nvm.bytes",
            "The part of the bytes served from granted extents on the same host that was granted on NVM."),
    CLIENT_GRANTED_MAPPED_BYTES(
            "client.granted.mapped.bytes", "The part of the granted bytes that was copied out of a mapping."),
    CLIENT_MAPPED_BYTES(
            "client.mapped.bytes",
            Kind.GAUGE,
            "Bytes of extents that are mapped now; bounded by terrace.client.mapped.max."),
    CLIENT_GRANTS("client.grants", Kind.GAUGE, "Grants held now."),
    CLIENT_GRANTS_ASKED("client.grants.asked", "Grants asked of DataNodes of this host."),
    CLIENT_GRANTS_GIVEN("client.grants.given", "Grants received and opened."),
    CLIENT_GRANTS_REVOKED("client.grants.revoked", "Grants given back because the DataNode asked for them."),
    CLIENT_CONNECTIONS("client.connections", Kind.GAUGE, "DataNodes of this host that the client is connected to."),
    CLIENT_REPORTED_BYTES("client.reported.bytes", "Granted bytes reported to DataNodes."),
    CLIENT_REPORTED_READS("client.reported.reads", "Granted reads reported to DataNodes."),
    CLIENT_UNREPORTED_BYTES(
            "client.unreported.bytes", "Granted bytes that could not be reported any more: their DataNode was gone."),
    CLIENT_FALLBACK_OFF(
            "client.fallback.off",
            "Readers left to stock HDFS: terrace.enabled is false or terrace.channel.dir is unset."),
    CLIENT_FALLBACK_SETTINGS(
            "client.fallback.settings", "Readers left to stock HDFS: a terrace.* setting is wrong; the log names it."),
    CLIENT_FALLBACK_NO_DATANODE(
            "client.fallback.no_datanode",
            "Readers left to stock HDFS: no DataNode of this host answers in terrace.channel.dir."),
    CLIENT_FALLBACK_NOT_RESIDENT(
            "client.fallback.not_resident", "Readers left to stock HDFS: the block is not resident on this host."),
    CLIENT_FALLBACK_UNDER_CONSTRUCTION(
            "client.fallback.under_construction",
            "Readers of the replica accessor left to stock HDFS: the file is being written."),
    CLIENT_FALLBACK_REFUSED("client.fallback.refused", "Readers left to stock HDFS: the DataNode refused the grant."),
    CLIENT_FALLBACK_TIMEOUT(
            "client.fallback.timeout", "Readers left to stock HDFS: the DataNode did not answer in time."),
    CLIENT_FALLBACK_UNREACHABLE(
            "client.fallback.unreachable",
            "Readers left to stock HDFS: the granted extent cannot be opened here, as in a container that does not see the memory tier or terrace.datanode.nvm.local.dir."),
    CLIENT_FALLBACK_LENGTH(
            "client.fallback.length",
            "Readers left to stock HDFS: the extent is shorter than what the reader may see."),
    CLIENT_FALLBACK_UNVERIFIED(
            "client.fallback.unverified",
            "Readers left to stock HDFS: they want the checksums verified, and the process read the block from memory without before."),
    CLIENT_FALLBACK_LIMIT("client.fallback.limit", "Readers left to stock HDFS: a limit of the client is reached."),
    CLIENT_FALLBACK_FAILED("client.fallback.failed", "Readers left to stock HDFS: anything else; the log says what."),
    CLIENT_READS_ABANDONED(
            "client.reads.abandoned",
            "Reads through a grant that ended meanwhile and could not be renewed: done again by stock HDFS."),

    // Client: the FileSystem class.
    CLIENT_FS_MEMORY_READERS(
            "client.fs.memory.readers",
            "Block readers of the FileSystem class that were opened on memory, of this host or another."),
    CLIENT_FS_STOCK_READERS(
            "client.fs.stock.readers",
            "Block readers of the FileSystem class that were left to stock HDFS from the start."),
    CLIENT_FS_STOCK_PREFERRED(
            "client.fs.stock.preferred",
            "Block readers left to stock HDFS although another host has the block in memory: stock took less lately, or had to be tried to know."),
    CLIENT_FS_HEDGED(
            "client.fs.hedged",
            "Hedged reads that went to stock HDFS, beside a read of another host's memory that took too long."),
    CLIENT_FS_FASTER_TYPE(
            "client.fs.faster_type",
            "Blocks of which the FileSystem class reads another replica first than the NameNode said: one that is equally near, on a faster storage type."),
    CLIENT_FS_STEPPED_DOWN(
            "client.fs.stepped_down",
            "Block readers of the FileSystem class that failed on memory and went on with stock HDFS, or whose caller asked for another copy than the one in memory."),
    CLIENT_REMOTE_READS("client.remote.reads", "Pieces read from the memory or NVM of DataNodes over tcp."),
    CLIENT_REMOTE_BYTES("client.remote.bytes", "Bytes read from the memory or NVM of DataNodes over tcp."),
    CLIENT_REMOTE_NVM_BYTES("client.remote.nvm.bytes", "The part of the bytes read over tcp that was granted on NVM."),
    CLIENT_REMOTE_CONNECTIONS(
            "client.remote.connections", Kind.GAUGE, "DataNodes that the client has a tcp channel to."),
    CLIENT_REMOTE_GRANTS("client.remote.grants", "Grants received over tcp."),
    CLIENT_REMOTE_REFUSED("client.remote.refused", "Grants refused over tcp."),
    CLIENT_REMOTE_UNREACHABLE(
            "client.remote.unreachable",
            "DataNodes left to stock HDFS for a while: their tcp channel did not answer, or ended."),
    CLIENT_REMOTE_FULL(
            "client.remote.full",
            "Holders of a block that were not asked for it: as many DataNodes as terrace.client.tcp.nodes.max were read from"
                    + " lately, or too many are to be connected to."),
    CLIENT_REMOTE_CORRUPT(
            "client.remote.corrupt",
            "Reads over tcp whose bytes did not match the block's checksums: done again by stock HDFS."),
    CLIENT_REMOTE_ENCRYPTED(
            "client.remote.encrypted",
            "File systems without tcp channel because data transfer is to be protected or encrypted."),
    CLIENT_VERBS_READS(
            "client.verbs.reads",
            "Pieces read from the memory or NVM of DataNodes by RDMA; they count as remote reads too."),
    CLIENT_VERBS_BYTES(
            "client.verbs.bytes",
            "Bytes read from the memory or NVM of DataNodes by RDMA; they count as remote bytes too."),
    CLIENT_VERBS_STEPPED_DOWN(
            "client.verbs.stepped_down", "Reads and connections by RDMA that did not succeed; tcp served instead."),
    CLIENT_FS_NOT_LINKED(
            "client.fs.not_linked",
            "File systems that are stock HDFS because Hadoop's classes here are not those they were made for."),
    CLIENT_WRITE_BLOCKS("client.write.blocks", "Blocks written over the channel and finalised."),
    CLIENT_WRITE_BLOCKS_WHOLE(
            "client.write.blocks.whole",
            "Part of these: up to 64 KB, sent with the request to open the block, and acknowledged by the one answer."),
    CLIENT_WRITE_BYTES(
            "client.write.bytes", "Bytes written over the channel and acknowledged by all DataNodes of their blocks."),
    CLIENT_WRITE_VERBS_BYTES(
            "client.write.verbs.bytes", "Bytes written by RDMA, into the landing windows of DataNodes of other hosts."),
    CLIENT_WRITE_RECOVERIES(
            "client.write.recoveries",
            "Faults of a block's pipeline while it was written over the channel; stock's code sets it up again."),
    CLIENT_WRITE_RETAINED_BYTES(
            "client.write.retained.bytes",
            Kind.GAUGE,
            "Memory of what is written and not acknowledged; bounded by terrace.client.write.retained."),
    CLIENT_WRITE_RETAINED_WAITS(
            "client.write.retained.waits", "Times a writer waited for memory of what is written and not acknowledged."),
    CLIENT_WRITE_BLOCKS_OVERLAPPED(
            "client.write.blocks.overlapped",
            "Blocks written over the channel of which only the first DataNode had all when the next block of the file began."),
    CLIENT_WRITE_BLOCKS_REFUSED(
            "client.write.blocks.refused",
            "Blocks that the NameNode did not add, however often it was asked, until more DataNodes had earlier blocks of the file (dfs.namenode.replication.min)."),
    CLIENT_WRITE_CLOSED_EARLY(
            "client.write.closed.early",
            "Files whose close did not wait until all DataNodes had all of their blocks (terrace.client.write.close)."),
    CLIENT_WRITE_CLOSED_UNFINISHED(
            "client.write.closed.unfinished",
            Kind.GAUGE,
            "Part of these: files that are still sent to the DataNodes that lack some of them."),
    CLIENT_WRITE_CLOSED_WAITED(
            "client.write.closed.waited",
            "Closes that waited for all DataNodes although they need not, as 64 closed files were still sent."),
    CLIENT_WRITE_FIRST_EXCHANGED(
            "client.write.first.exchanged",
            "Blocks that began at another DataNode of their pipeline than the NameNode named first, as the client writes to it faster."),
    CLIENT_WRITE_REPLICAS_REPLACED(
            "client.write.replicas.replaced",
            "Replicas copied to another DataNode because theirs was lost after the first DataNode of the block had all of it."),
    CLIENT_WRITE_REPLICAS_MISSING(
            "client.write.replicas.missing",
            "Replicas that were lost in the same way and not replaced; the NameNode makes them later."),
    CLIENT_WRITE_FALLBACK_REPLICATION(
            "client.write.fallback.replication",
            "Files left to stock HDFS by a client that writes over the channel: more than one replica, and a Hadoop whose pipelines cannot be set up again; or more than the file had when it was created."),
    CLIENT_WRITE_FALLBACK_ERASURE_CODED(
            "client.write.fallback.erasure_coded",
            "Files left to stock HDFS by a client that writes over the channel: erasure coding."),
    CLIENT_WRITE_FALLBACK_APPEND(
            "client.write.fallback.append",
            "Files left to stock HDFS by a client that writes over the channel: an append."),
    CLIENT_WRITE_FALLBACK_PROTECTED(
            "client.write.fallback.protected",
            "File systems that leave all files to stock HDFS because data transfer is to be protected or encrypted."),
    CLIENT_WRITE_FALLBACK_HADOOP(
            "client.write.fallback.hadoop",
            "File systems that leave all files to stock HDFS because Hadoop's client is older than 3.5."),
    CLIENT_WRITE_FALLBACK_LAZY_PERSIST(
            "client.write.fallback.lazy_persist",
            "Files left to stock HDFS by a client that writes over the channel: lazy persistence of one replica, which has no checksums."),
    CLIENT_WRITE_FALLBACK_CHECKSUM(
            "client.write.fallback.checksum",
            "Files left to stock HDFS by a client that writes over the channel: no checksums, or chunks too large for a frame."),
    CLIENT_WRITE_FALLBACK_NO_CHANNEL(
            "client.write.fallback.no_channel",
            "Files left to stock HDFS by a client that writes over the channel: a DataNode takes no writes over a channel; stock writes from there on."),

    // The server of grants in a DataNode.
    CHANNEL_CONNECTIONS("channel.connections", Kind.GAUGE, "Clients connected to the grant server."),
    CHANNEL_CONNECTIONS_REFUSED(
            "channel.connections.refused",
            "Connections cut at once: too many, in all, of one user, or over tcp of one address."),
    CHANNEL_PEERS_CUT(
            "channel.peers.cut",
            "Connections cut for garbage, silence or a missed deadline, of this host and of others."),
    CHANNEL_PEERS_LOST(
            "channel.peers.lost",
            "Connections that ended without a goodbye; what such a client read since its last report is unknown."),
    CHANNEL_GRANTS("channel.grants", "Grants given."),
    CHANNEL_GRANTS_REFUSED("channel.grants.refused", "Grants refused, for any reason."),
    CHANNEL_LINKS_EXPIRED("channel.links.expired", "Granted links that the client did not open in time."),
    CHANNEL_TCP_CONNECTIONS(
            "channel.tcp.connections",
            Kind.GAUGE,
            "Connections of clients of other hosts, or of containers, to the tcp channel; a busy client has several."),
    CHANNEL_TCP_CHECKSUM_BYTES(
            "channel.tcp.checksum.bytes",
            Kind.GAUGE,
            "Checksums of granted blocks on the heap; bounded by terrace.channel.tcp.checksums.max."),
    CHANNEL_TCP_CHECKSUMS_REFUSED(
            "channel.tcp.checksums.refused",
            "Grants refused to clients of other hosts, since there was no room for the block's checksums."),
    CHANNEL_VERBS_CONNECTIONS("channel.verbs.connections", Kind.GAUGE, "Clients connected by RDMA."),
    CHANNEL_VERBS_EXTENTS(
            "channel.verbs.extents",
            Kind.GAUGE,
            "Extents registered with the RDMA device, from their first grant until they are freed."),
    CHANNEL_VERBS_EXTENT_BYTES(
            "channel.verbs.extent.bytes",
            Kind.GAUGE,
            "Their bytes and checksums, pinned; bounded by terrace.channel.verbs.registered.max."),
    CHANNEL_VERBS_REFUSED(
            "channel.verbs.refused",
            "Grants of extents that could not be registered, for want of room or locked memory; tcp alone serves them."),
    CHANNEL_VERBS_HELD_OFF(
            "channel.verbs.held_off",
            Kind.GAUGE,
            "Addresses that no RDMA connection is taken from for a minute, since too many from there were of no use, as those of who guesses keys are."),
    CHANNEL_VERBS_CONNECTIONS_REFUSED(
            "channel.verbs.connections.refused",
            "Connections by RDMA that were not taken: too many, in all or of one address, held off, or the device failed; tcp serves their clients."),
    CHANNEL_WRITE_CONNECTIONS(
            "channel.write.connections",
            Kind.GAUGE,
            "Connections on which clients write blocks; bounded by terrace.datanode.write.connections.max."),
    CHANNEL_WRITE_CONNECTIONS_REFUSED(
            "channel.write.connections.refused",
            "Such connections beyond the limit, or beyond the share of one user or host; their clients write through stock HDFS."),
    CHANNEL_WRITE_REFUSED(
            "channel.write.refused",
            "Blocks that were not opened for a client to write: a bad token, no room, or left to stock."),
    CHANNEL_WRITE_FAILED(
            "channel.write.failed",
            "Blocks that were opened and not finalised: the client ended, sent wrong data, or the disk failed."),
    CHANNEL_WRITE_CUT(
            "channel.write.cut",
            "Connections on which a client was silent for too long within a block, or before its first."),
    CHANNEL_WRITE_BLOCKS("channel.write.blocks", "Blocks that clients wrote and that are finalised."),
    CHANNEL_WRITE_BYTES("channel.write.bytes", "Data received of clients that write, verified and written."),
    CHANNEL_WRITE_LANDED_BYTES("channel.write.landed.bytes", "Part of it that clients wrote by RDMA."),
    CHANNEL_WRITE_WINDOWS(
            "channel.write.windows",
            Kind.GAUGE,
            "Landing windows, of 4 MB each, that clients write into by RDMA; bounded by terrace.datanode.write.windows.max."),
    CHANNEL_WRITE_WINDOWS_REFUSED(
            "channel.write.windows.refused",
            "Landing windows that clients asked for and that could not be registered; they write over tcp."),
    CHANNEL_WRITE_FORWARDED_BYTES(
            "channel.write.forwarded.bytes", "Data of these blocks sent on to the next DataNode of their pipeline."),
    CHANNEL_WRITE_FORWARDED_READ_BYTES(
            "channel.write.forwarded.read.bytes",
            "Part of it that was read from the replica's files for that, as the next DataNode did not keep up."),
    CHANNEL_WRITE_FORWARD_FAILED(
            "channel.write.forward.failed", "Such blocks whose next DataNode failed, or was silent for too long."),
    CHANNEL_REVOKES("channel.revokes", "Revocations sent to clients."),

    // The placement service in the NameNode.
    PLACEMENT_ACTIVE("placement.active", Kind.GAUGE, "1 while this NameNode decides, 0 on a standby."),
    PLACEMENT_OFF("placement.off", Kind.GAUGE, "1 while this NameNode decides and Terrace is switched off, else 0."),
    PLACEMENT_PAUSED(
            "placement.paused",
            Kind.GAUGE,
            "1 while this NameNode decides and moves are paused or Terrace is off, else 0."),
    PLACEMENT_EPOCH("placement.epoch", Kind.GAUGE, "Epoch of this NameNode's decisions; grows with every failover."),
    PLACEMENT_DATANODES("placement.datanodes", Kind.GAUGE, "DataNodes that are heard of."),
    PLACEMENT_DATANODES_SILENT("placement.datanodes.silent", Kind.GAUGE, "DataNodes whose heartbeats are overdue."),
    PLACEMENT_HEARTBEATS("placement.heartbeats", "Heartbeats of DataNodes."),
    PLACEMENT_HEARTBEATS_AGAIN(
            "placement.heartbeats.again",
            "Heartbeats that were taken before and came again, as their answer was lost or they were late; counted once."),
    PLACEMENT_HEARTBEAT_ENTRIES_CUT(
            "placement.heartbeat.entries.cut",
            "Entries of heartbeats that were beyond a limit and not taken, or cut to it."),
    PLACEMENT_READS("placement.reads", "Block reads that DataNodes reported."),
    PLACEMENT_READ_BYTES("placement.read.bytes", "Bytes read that DataNodes reported."),
    PLACEMENT_READ_MEMORY_BYTES(
            "placement.read.memory.bytes", "The part of the bytes read that DataNodes served from memory copies."),
    PLACEMENT_STANDBY_READS(
            "placement.standby.reads", "Block reads that DataNodes reported while another NameNode decided."),
    PLACEMENT_HEAT_STALE("placement.heat.stale", "Reports of heat for an older generation stamp than the one known."),
    PLACEMENT_HEAT_UNCONFIRMED(
            "placement.heat.unconfirmed",
            "Reports of heat that did not count beside others', or pin a file by a rule: the NameNode's map has no such replica on that DataNode, or was not asked yet."),
    PLACEMENT_BLOCKS_TRACKED("placement.blocks.tracked", Kind.GAUGE, "Blocks whose heat is known."),
    PLACEMENT_BLOCKS_RESIDENT("placement.blocks.resident", Kind.GAUGE, "Memory copies on all DataNodes."),
    PLACEMENT_BLOCKS_PINNED("placement.blocks.pinned", Kind.GAUGE, "Blocks of pinned files."),
    PLACEMENT_BLOCKS_PINNED_LEFT_OUT(
            "placement.blocks.pinned.left_out",
            Kind.GAUGE,
            "Blocks of pinned files and directories that are not kept in memory, as 20000 others are."),
    PLACEMENT_HOMES_CHANGED("placement.homes.changed", "Blocks whose home moved to another DataNode."),
    PLACEMENT_HOLDERS_ASKED(
            "placement.holders.asked",
            "Blocks of which the NameNode was asked which DataNodes hold them, to choose a home."),
    PLACEMENT_HOLDERS_DEFERRED(
            "placement.holders.deferred", "Blocks of which it was not asked yet, because of a limit."),
    PLACEMENT_PROMOTIONS_WISHED("placement.promotions.wished", "Promotions that policies wished for."),
    PLACEMENT_PROMOTIONS_SENT("placement.promotions.sent", "Promotions ordered of DataNodes."),
    PLACEMENT_PROMOTIONS_DONE("placement.promotions.done", "Promotions carried out."),
    PLACEMENT_DROPS_SENT("placement.drops.sent", "Drops of memory copies ordered of DataNodes."),
    PLACEMENT_DROPS_DONE("placement.drops.done", "Drops carried out."),
    PLACEMENT_MOVES_WAITING("placement.moves.waiting", Kind.GAUGE, "Moves that wait for the budget or a heartbeat."),
    PLACEMENT_MOVES_IN_FLIGHT("placement.moves.in_flight", Kind.GAUGE, "Moves that DataNodes are carrying out."),
    PLACEMENT_MOVES_FAILED("placement.moves.failed", "Moves that a DataNode refused, failed or lost."),
    PLACEMENT_MOVES_UNFIT(
            "placement.moves.unfit",
            "Promotions that the NameNode's maps ruled out: deleted, changed, being written, erasure-coded, no replica there."),
    PLACEMENT_MOVES_WITHDRAWN("placement.moves.withdrawn", "Moves taken back before they were sent."),
    PLACEMENT_MOVES_HELD_BACK(
            "placement.moves.held_back", "Wishes not followed: paused, off, failed of late, or too many waiting."),
    PLACEMENT_MOVES_UNPAID("placement.moves.unpaid", "Memory copies that left without having served a byte."),
    PLACEMENT_PROMOTED_BYTES("placement.promoted.bytes", "Bytes copied into memory."),
    PLACEMENT_DROPPED_BYTES("placement.dropped.bytes", "Bytes of memory copies dropped on orders."),
    PLACEMENT_VOLUME_MOVES_WISHED(
            "placement.volume.moves.wished", "Moves of replicas between volumes that rules and heat asked for."),
    PLACEMENT_VOLUME_MOVES_SENT("placement.volume.moves.sent", "Moves between volumes ordered of DataNodes."),
    PLACEMENT_VOLUME_MOVES_DONE("placement.volume.moves.done", "Moves between volumes carried out."),
    PLACEMENT_VOLUME_MOVED_BYTES("placement.volume.moved.bytes", "Bytes moved between volumes."),
    PLACEMENT_VOLUME_MOVES_NO_ROOM(
            "placement.volume.moves.no_room",
            "Moves between volumes that ended because no volume of the tier had room."),
    PLACEMENT_VOLUME_MOVES_NOT_HERE(
            "placement.volume.moves.not_here",
            "Moves between volumes that ended because the DataNode had no such replica any more."),
    PLACEMENT_VOLUME_MOVES_CHANGED(
            "placement.volume.moves.changed",
            "Moves between volumes that ended because the replica was appended to, recovered, deleted or moved by others."),
    PLACEMENT_VOLUME_MOVES_CORRUPT(
            "placement.volume.moves.corrupt",
            "Moves between volumes that ended because the replica failed its checksums."),
    PLACEMENT_VOLUME_MOVES_REFUSED(
            "placement.volume.moves.refused",
            "Moves between volumes that the DataNode refused: open replica, no volume of the tier, upgrade, stopping."),
    PLACEMENT_VOLUME_MOVES_FAILED("placement.volume.moves.failed", "Moves between volumes that failed otherwise."),
    PLACEMENT_VOLUME_MOVES_LOST("placement.volume.moves.lost", "Moves between volumes that no result came for."),
    PLACEMENT_VOLUME_MOVES_UNFIT(
            "placement.volume.moves.unfit",
            "Moves between volumes that the NameNode's maps ruled out before they were sent."),
    PLACEMENT_VOLUME_MOVES_WITHDRAWN(
            "placement.volume.moves.withdrawn", "Moves between volumes taken back before they were sent."),
    PLACEMENT_VOLUME_MOVES_WAITING(
            "placement.volume.moves.waiting",
            Kind.GAUGE,
            "Moves between volumes that wait for the budget or a heartbeat."),
    PLACEMENT_VOLUME_MOVES_IN_FLIGHT(
            "placement.volume.moves.in_flight", Kind.GAUGE, "Moves between volumes that DataNodes are carrying out."),
    PLACEMENT_VOLUME_OTHERS(
            "placement.volume.others",
            "Replicas that changed their storage type without an order of Terrace, and are left there for a time."),
    PLACEMENT_VOLUME_OFFERED(
            "placement.volume.offered", "Replicas that DataNodes offered as the oldest ones of a tier."),
    PLACEMENT_VOLUME_OFFERED_DOWN(
            "placement.volume.offered.down", "Of these, moves to a slower tier that were ordered."),
    PLACEMENT_VOLUME_POOL_RETURNS(
            "placement.volume.pool.returned",
            "Moves down that give a pool back what is its own share of a tier, counted as they are ordered."),
    PLACEMENT_CONTROL_HELD(
            "placement.control.held",
            "Climbs that heat asked for and that were not made, as the block is in the control sample."),
    PLACEMENT_TIERS_LEFT(
            "placement.tiers.left",
            Kind.GAUGE,
            "Tiers into which nothing climbs by heat for a time, as reads from them were slower than of the control sample."),
    PLACEMENT_TIERS_LEFT_TIMES(
            "placement.tiers.left_times", "Times that a tier was left because reads from it were slower."),
    PLACEMENT_SATISFY_LOOKED(
            "placement.satisfy.looked",
            "Files, directories and blocks looked at for rules and annotations with satisfy: true."),
    PLACEMENT_SATISFY_WAITING(
            "placement.satisfy.waiting",
            "Replicas off their storage policy that such a look found and that could not be moved then."),
    PLACEMENT_RESULTS_STALE(
            "placement.results.stale", "Results of orders that are not open, e.g. of an earlier epoch."),
    PLACEMENT_MEMORY_BYTES(
            "placement.memory.bytes", Kind.GAUGE, "NameNode heap that heat and policies hold, estimated."),
    PLACEMENT_TURN_NANOSECONDS("placement.turn.nanoseconds", "Time the loop's thread worked."),
    PLACEMENT_LOCK_HOLDS("placement.lock.holds", "Times the NameNode's read lock was taken."),
    PLACEMENT_LOCK_BLOCKS("placement.lock.blocks", "Blocks looked at under the NameNode's read lock."),
    PLACEMENT_LOCK_NANOSECONDS("placement.lock.nanoseconds", "Time the NameNode's read lock was held."),
    PLACEMENT_LOCK_LONGEST_NANOSECONDS(
            "placement.lock.longest.nanoseconds", Kind.GAUGE, "Longest hold of the NameNode's read lock so far."),
    PLACEMENT_LOOKS_ORDERS("placement.looks.orders", "Holds of the NameNode's read lock just before orders."),
    PLACEMENT_LOOKS_ORDERS_NANOSECONDS("placement.looks.orders.nanoseconds", "Time of the holds just before orders."),
    PLACEMENT_LOOKS_REPORTS(
            "placement.looks.reports", "Holds of the NameNode's read lock to judge what heartbeats report."),
    PLACEMENT_LOOKS_REPORTS_NANOSECONDS(
            "placement.looks.reports.nanoseconds", "Time of the holds to judge what heartbeats report."),
    PLACEMENT_LOOKS_REVIEWS(
            "placement.looks.reviews",
            "Holds of the NameNode's read lock to look again at what is known; they wait while all holds take more than a thousandth of the time."),
    PLACEMENT_LOOKS_REVIEWS_NANOSECONDS(
            "placement.looks.reviews.nanoseconds", "Time of the holds to look again at what is known."),
    PLACEMENT_LOOKS_OTHERS(
            "placement.looks.others", "Holds of the NameNode's read lock for operators, pins and the log of accesses."),
    PLACEMENT_LOOKS_OTHERS_NANOSECONDS(
            "placement.looks.others.nanoseconds", "Time of the holds for operators, pins and the log of accesses."),
    PLACEMENT_POLICY_SWITCHES("placement.policy.switches", "Times another policy came into force."),
    PLACEMENT_POLICY_REFUSED(
            "placement.policy.refused",
            "Policies that were not taken: a bad policy file, or a policy that could not be made."),
    PLACEMENT_POLICY_FILE_BAD(
            "placement.policy.file.bad", Kind.GAUGE, "1 while the policy file cannot be used as it stands, else 0."),
    PLACEMENT_RULES_LOOKUPS("placement.rules.lookups", "Paths of blocks looked up for the rules of the policy."),
    PLACEMENT_RULES_DEFERRED(
            "placement.rules.deferred",
            "Reports of heat that no policy heard of, because too many paths were to be looked up for one heartbeat."),
    PLACEMENT_ANNOTATIONS_IGNORED(
            "placement.annotations.ignored",
            "Blocks looked up whose file has an annotation that is not heeded; placementctl annotations says why."),
    PLACEMENT_RULES_PINS_REFUSED(
            "placement.rules.pins.refused",
            "Files that a rule would have pinned beyond its bound, or that of all pins."),
    PLACEMENT_WRITTEN_ORDERED(
            "placement.written.ordered",
            "Copies in memory ordered since a rule or an annotation says write: memory and the block was written."),
    PLACEMENT_WRITTEN_REFUSED(
            "placement.written.refused",
            "Blocks that such a rule wanted in memory once written, for which there was no room."),
    PLACEMENT_FIRST_READ_ORDERED(
            "placement.firstread.ordered",
            "Copies in memory ordered before the first read of a block, as such blocks are read soon after they are written."),
    PLACEMENT_FIRST_READ_REFUSED(
            "placement.firstread.refused",
            "Such copies that were not ordered: there was no room, or too many were in vain."),
    PLACEMENT_FIRST_READ_SERVED("placement.firstread.served", "Such copies that were there when the first read came."),
    PLACEMENT_FIRST_READ_VAIN_BYTES(
            "placement.firstread.vain.bytes", "Bytes of such copies whose first read did not come in time."),
    PLACEMENT_READ_AHEAD_ORDERED(
            "placement.readahead.ordered",
            "Copies in memory ordered ahead of a reader, as such files are read on once they are begun."),
    PLACEMENT_READ_AHEAD_REFUSED(
            "placement.readahead.refused",
            "Such copies that were not ordered: there was no room, they were not worth it, or too many were in vain."),
    PLACEMENT_READ_AHEAD_SERVED(
            "placement.readahead.served", "Such copies that were there when their reader came to them."),
    PLACEMENT_READ_AHEAD_VAIN_BYTES(
            "placement.readahead.vain.bytes", "Bytes of such copies to which no reader came, or one before the copy."),
    PLACEMENT_READ_AHEAD_COPY_MS(
            "placement.readahead.copy.ms",
            Kind.GAUGE,
            "Milliseconds that such a copy is expected to take; where it comes too late for a reader, none is made."),
    PLACEMENT_LEAVING_ORDERED(
            "placement.leaving.ordered",
            "Copies in memory ordered on another DataNode, as the one with the only copy is decommissioned or enters"
                    + " maintenance."),
    PLACEMENT_WRITE_FIRST_DRAWN(
            "placement.write.first.drawn",
            "New blocks that begin at a DataNode drawn among those that their client writes to fastest."),
    PLACEMENT_WRITE_FIRST_TRIED(
            "placement.write.first.tried",
            "New blocks that begin at any DataNode that their client is not known to write to slowly."),
    PLACEMENT_WRITE_SPARED(
            "placement.write.spared", "New blocks that left out a DataNode which takes blocks slowly from whomever."),
    PLACEMENT_WRITE_HOSTS(
            "placement.write.hosts", Kind.GAUGE, "Hosts of clients of which DataNodes told how fast they write."),
    PLACEMENT_WRITE_SPEEDS_REFUSED(
            "placement.write.speeds.refused", "Speeds of clients in heartbeats that cannot be; they were not taken."),
    PLACEMENT_ACCESS_LOG_ROWS("placement.access_log.rows", "Accesses written to the log of accesses."),
    PLACEMENT_ACCESS_LOG_LOST(
            "placement.access_log.lost",
            "Accesses not logged, because the writer could not keep up or the disk failed."),
    PLACEMENT_ACCESS_LOG_UNNAMED(
            "placement.access_log.unnamed",
            "Reports logged of blocks whose paths are not, because too many blocks waited to be named."),
    PLACEMENT_ACCESS_LOG_BYTES("placement.access_log.bytes", Kind.GAUGE, "Bytes of the log of accesses on disk."),
    PLACEMENT_JOURNAL_OPEN(
            "placement.journal.open",
            Kind.GAUGE,
            "1 while heat and moves are kept in the journal; 0 when it cannot be used, or none is configured."),
    PLACEMENT_JOURNAL_BYTES("placement.journal.bytes", Kind.GAUGE, "Bytes of the journal on disk."),
    PLACEMENT_JOURNAL_WAITING_BYTES(
            "placement.journal.waiting.bytes", Kind.GAUGE, "Heap of what waits to be written to the journal."),
    PLACEMENT_JOURNAL_HEAT_WRITTEN("placement.journal.heat.written", "Blocks whose heat was written to the journal."),
    PLACEMENT_JOURNAL_HEAT_LOST(
            "placement.journal.heat.lost",
            "Blocks whose heat was not written or not looked for, as the journal's queue was full."),
    PLACEMENT_JOURNAL_HEAT_LOADED(
            "placement.journal.heat.loaded", "Blocks whose heat was loaded as the NameNode started."),
    PLACEMENT_JOURNAL_HEAT_RECALLED(
            "placement.journal.heat.recalled", "Blocks that were read again and whose heat was in the journal alone."),
    PLACEMENT_JOURNAL_HEAT_FORGOTTEN(
            "placement.journal.heat.forgotten", "Blocks whose heat left the journal, as it had too many bytes."),
    PLACEMENT_JOURNAL_MOVES_WRITTEN("placement.journal.moves.written", "Moves written to the journal."),
    PLACEMENT_JOURNAL_MOVES_LOST(
            "placement.journal.moves.lost", "Moves that were not written, as the journal's queue was full."),
    PLACEMENT_JOURNAL_FAILURES("placement.journal.failures", "Times the journal could not be opened, written or read."),
    PLACEMENT_JOURNAL_BEGUN_ANEW(
            "placement.journal.begun_anew", "Times a journal that was damaged or of another format was begun anew."),
    PLACEMENT_QUESTIONS_FAILED(
            "placement.questions.failed",
            "Questions of placementctl and of the page that failed in the placement loop."),
    PLACEMENT_ADMIN_CALLS("placement.admin.calls", "Calls of placementctl."),
    PLACEMENT_ADMIN_REFUSED(
            "placement.admin.refused",
            "Calls of placementctl refused for want of rights, or because others are being answered."),

    // The memory tier of a DataNode.
    MEMORY_CAPACITY_BYTES("memory.capacity.bytes", Kind.GAUGE, "What the memory tier may hold."),
    MEMORY_USED_BYTES("memory.used.bytes", Kind.GAUGE, "What the memory tier holds, retiring copies included."),
    MEMORY_RETIRING_BYTES(
            "memory.retiring.bytes",
            Kind.GAUGE,
            "The part of the used bytes that is no longer served and waits for its last readers."),
    MEMORY_KEPT_OPEN_BYTES(
            "memory.kept_open.bytes",
            Kind.GAUGE,
            "Bytes of removed copies that stock short-circuit clients keep open; the capacity is less by them. 0 where the memory directory is no mount of its own."),
    MEMORY_PINNED_BYTES(
            "memory.pinned.bytes", Kind.GAUGE, "The part of the used bytes that cacheadmin directives ask for."),
    MEMORY_EXTENTS("memory.extents", Kind.GAUGE, "Copies in the memory tier, in whatever state."),
    MEMORY_GRANTS("memory.grants", Kind.GAUGE, "Grants that are held now."),
    MEMORY_PROMOTED("memory.promoted", "Copies made and served."),
    MEMORY_PROMOTED_BYTES("memory.promoted.bytes", "Bytes copied to memory and served."),
    MEMORY_PROMOTED_MS("memory.promoted.milliseconds", "Time spent on copies that were served."),
    MEMORY_THROUGH_BLOCKS(
            "memory.through.blocks",
            "Copies that were filled while clients wrote their blocks, and served from then on."),
    MEMORY_THROUGH_BYTES("memory.through.bytes", "Bytes of these copies."),
    MEMORY_THROUGH_RULED(
            "memory.through.ruled",
            "Blocks for which a rule or an annotation asked for such a copy, not the client; there may have been none after all."),
    MEMORY_THROUGH_WRITING_BYTES(
            "memory.through.writing.bytes",
            Kind.GAUGE,
            "Memory of copies whose blocks are being written; bounded by terrace.datanode.write.through.max."),
    MEMORY_THROUGH_NO_ROOM("memory.through.no_room", "Blocks written without such a copy that was asked for: no room."),
    MEMORY_THROUGH_BUSY(
            "memory.through.busy",
            "Blocks written without such a copy that was asked for: terrace.datanode.write.through.max is reached."),
    MEMORY_THROUGH_OFF(
            "memory.through.off",
            "Blocks written without such a copy that was asked for: Terrace is off for the block pool, or that setting is 0."),
    MEMORY_THROUGH_STORAGE(
            "memory.through.storage",
            "Blocks written without such a copy that was asked for: the replica is on NVM, or on a RAM disk."),
    MEMORY_THROUGH_DROPPED(
            "memory.through.dropped",
            "Such copies given up: the client or its pipeline failed within the block, the replica changed, or the copy could not be written."),
    MEMORY_RETIRED_ORDERED(
            "memory.retired.ordered", "Copies retired because the service or the end of a directive ordered it."),
    MEMORY_RETIRED_MADE_ROOM("memory.retired.made_room", "Copies retired to make room for a pinned block."),
    MEMORY_RETIRED_CHANGED(
            "memory.retired.changed", "Copies retired because their replica changed, moved or went away."),
    MEMORY_RETIRED_OTHER(
            "memory.retired.other",
            "Copies retired for a pool or DataNode that stops, a failed scrub, or because Terrace was switched off."),
    MEMORY_FULL("memory.full", "Copies not made for want of room."),
    MEMORY_KEPT_OPEN_REFUSED(
            "memory.kept_open.refused",
            "Descriptors of copies not passed to stock short-circuit clients, who keep too many removed ones open and got the replica's."),
    MEMORY_REPLICAS_CORRUPT(
            "memory.replicas.corrupt",
            "Replicas that failed their checksums when they were to be copied, and were reported."),
    MEMORY_NO_SLOT(
            "memory.no_slot", "Copies served to stock readers only, because the slot table had no slot for them."),
    MEMORY_SCRUBBED_BYTES("memory.scrubbed.bytes", "Bytes in memory checked again in the background."),
    MEMORY_SCRUB_FAILED("memory.scrub.failed", "Copies that no longer matched their checksums and were retired."),
    MEMORY_LEFTOVERS_ADOPTED(
            "memory.leftovers.adopted", "Copies of an earlier process that were verified in full and served again."),
    MEMORY_LEFTOVERS_DELETED("memory.leftovers.deleted", "Copies of an earlier process that were deleted."),
    NVM_EXTENTS("nvm.extents", Kind.GAUGE, "Replicas on NVM that are extents, in whatever state."),
    NVM_EXTENT_BYTES("nvm.extent.bytes", Kind.GAUGE, "Bytes of replicas on NVM that are extents; they take no memory."),
    NVM_GRANTS("nvm.grants", Kind.GAUGE, "Grants that are held now on replicas on NVM."),
    NVM_VERIFIED("nvm.verified", "Replicas on NVM that were verified in full and became extents."),
    NVM_VERIFIED_BYTES("nvm.verified.bytes", "Bytes of the replicas on NVM that were verified and became extents."),
    NVM_NOT_ADMITTED(
            "nvm.not_admitted",
            "Replicas on NVM that were read and did not become extents: no room, too many wait, changed meanwhile, or no link could be made."),
    NVM_REPLICAS_CORRUPT(
            "nvm.replicas.corrupt",
            "Replicas on NVM that did not match their checksums and were reported to the NameNode."),
    NVM_LOCAL_NOT_SHOWN(
            "nvm.local.not_shown",
            "Replicas on NVM that became extents for clients of other hosts only, although terrace.datanode.nvm.local.dir is set: no directory for their volume can be used, others could not read or could write the block file, or no slot was free."),
    NVM_LOCAL_NOT_LINKED(
            "nvm.local.not_linked",
            "Grants on NVM refused to clients of this host because no link could be made in terrace.datanode.nvm.local.dir."),
    NVM_RETIRED(
            "nvm.retired",
            "Replicas on NVM that stopped being extents: changed, gone, copied to memory, or longest unread when another took the place."),
    VOLUME_MOVED("volume.moved", "Replicas moved to a volume of another tier by order of the placement service."),
    VOLUME_MOVED_BYTES("volume.moved.bytes", "Bytes of the replicas that were moved between volumes."),
    VOLUME_MOVED_MS("volume.moved.milliseconds", "Time spent on the moves between volumes that were made."),
    VOLUME_OFFERED("volume.offered", "Replicas told to the placement service as the oldest ones of a tier."),
    VOLUME_GUARDED(
            "volume.guarded",
            "Moves of Mover, Satisfier or Balancer that were refused, as a range of tiers keeps the replica."),
    VOLUME_MOVES_FAILED(
            "volume.moves.failed",
            "Orders to move a replica between volumes that left it where it was: refused, no room, changed meanwhile, corrupt, or failed."),
    READS_STOCK_MEMORY(
            "reads.stock.memory", "Reads of stock clients over the DataNode's socket that were served from memory."),
    READS_STOCK_MEMORY_BYTES("reads.stock.memory.bytes", "Bytes sent to stock clients from memory."),
    READS_STOCK_REPLICA(
            "reads.stock.replica",
            "Reads of stock clients over the DataNode's socket that were served from the replica."),
    READS_STOCK_REPLICA_BYTES("reads.stock.replica.bytes", "Bytes sent to stock clients from replicas."),
    READS_DESCRIPTORS_MEMORY(
            "reads.descriptors.memory",
            "File descriptors of memory copies passed to stock short-circuit clients; what they read is theirs to know."),
    READS_DESCRIPTORS_REPLICA(
            "reads.descriptors.replica", "File descriptors of replicas passed to stock short-circuit clients."),
    READS_DESCRIPTORS_HELD(
            "reads.descriptors.held",
            Kind.GAUGE,
            "File descriptors that stock short-circuit clients hold. As long as there are any, the DataNode is not taken for idle."),
    READS_GRANTED(
            "reads.granted",
            "Reads through grants, as reported by clients and believed. As in stock HDFS a read is an opened block stream."),
    READS_GRANTED_BYTES("reads.granted.bytes", "Bytes read through grants, as reported by clients and believed."),
    READS_GRANTED_NVM(
            "reads.granted.nvm", "The part of the reads through grants that was served from replicas on NVM."),
    READS_GRANTED_NVM_BYTES(
            "reads.granted.nvm.bytes",
            "The part of the bytes read through grants that was served from replicas on NVM."),
    READS_GRANTED_REJECTED(
            "reads.granted.rejected",
            "Reports, or parts of them, that were not believed: no such grant, or more than a process can read."),
    READS_GRANTED_UNREPORTED_BYTES(
            "reads.granted.unreported.bytes",
            "The most that clients which went without a goodbye can have read since their last report."),
    HEAT_DROPPED("heat.dropped", "Blocks whose reads were forgotten before a heartbeat could carry them."),
    HEARTBEATS("heartbeats", "Heartbeats answered by a placement service."),
    HEARTBEATS_FAILED("heartbeats.failed", "Heartbeats that no placement service answered."),
    HEARTBEATS_OUTRANKED(
            "heartbeats.outranked",
            "Heartbeats answered under an epoch below one that was seen before, of which off alone is obeyed."),
    ORDERS("orders", "Orders of the placement service taken."),
    ORDERS_REFUSED("orders.refused", "Orders of the placement service refused.");

    /** What a value counts. */
    public enum Unit {
        COUNT,
        BYTES,
        MILLISECONDS,
        NANOSECONDS;

        /** The unit that ends the id; a count where none does. */
        private static Unit of(String id) {
            String end = id.substring(id.lastIndexOf('.') + 1).toUpperCase(Locale.ROOT);
            return Stream.of(values())
                    .filter(unit -> unit.name().equals(end))
                    .findFirst()
                    .orElse(COUNT);
        }
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
        CLIENT("TerraceClient", "client.", "terrace_client_"),
        DATANODE("TerraceDataNode", "", "terrace_data_node_"),
        NAMENODE("TerracePlacement", "placement.", "terrace_placement_");

        private final String record;
        private final String prefix;
        private final String prometheusPrefix;

        Where(String record, String prefix, String prometheusPrefix) {
            this.record = record;
            this.prefix = prefix;
            this.prometheusPrefix = prometheusPrefix;
        }

        private static Where of(String id) {
            return Stream.of(values())
                    .filter(where -> where != DATANODE && id.startsWith(where.prefix))
                    .findFirst()
                    .orElse(DATANODE);
        }

        /** What ids begin with, and names outside of the process do not. */
        String prefix() {
            return prefix;
        }

        /** What Prometheus's names begin with; {@code /prom} makes it of the record. */
        String prometheusPrefix() {
            return prometheusPrefix;
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

    /** A counter. */
    Metric(String id, String doc) {
        this(id, Kind.COUNTER, doc);
    }

    Metric(String id, Kind kind, String doc) {
        this.id = id;
        this.unit = Unit.of(id);
        this.kind = kind;
        this.where = Where.of(id);
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
    public static @Nullable Metric byId(String id) {
        return BY_ID.get(id);
    }
}
