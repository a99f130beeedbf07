package io.terrace.datanode.heartbeat;

import io.terrace.channel.server.Peer;
import io.terrace.common.ControlSample;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.heartbeat.HeatTable.Timed;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.ReadTimeProto;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The accesses of one pool's blocks as heartbeats carry them: a page of blocks, the hosts of their readers, and how long
 * reads took by tier. Used by one thread at a time.
 */
final class HeatReport {

    private final String pool;
    private final HeatTable table;
    private final HeartbeatExchange.ReplicaLook replicas;
    private final LocalTier tier;
    private List<HeatTable.Heat> sent = List.of();
    /** The blocks whose read times the service wants. */
    private ControlSample compared = ControlSample.NONE;

    HeatReport(String pool, HeatTable table, HeartbeatExchange.ReplicaLook replicas, LocalTier tier) {
        this.pool = pool;
        this.table = table;
        this.replicas = replicas;
        this.tier = tier;
    }

    /** Sets which blocks are compared with the control sample, in percent of all. */
    void compare(int controlPercent) {
        // A service of a later release may have a larger share than this one knows.
        compared = new ControlSample(Math.max(0, Math.min(ControlSample.MOST_PERCENT, controlPercent)));
    }

    void addTo(HeartbeatRequestProto.Builder request, long nowNs) {
        sent = table.drain(HeartbeatLimits.ENTRIES);
        Map<StorageTier, Timed> times = new EnumMap<>(StorageTier.class);
        Map<String, Integer> readerHosts = new LinkedHashMap<>();
        for (HeatTable.Heat hot : sent) {
            HeartbeatExchange.ReplicaLook.Seen seen = replicas.look(pool, hot.blockId());
            if (seen != null) {
                times.merge(seen.tier(), hot.replica(), Timed::plus);
                times.merge(StorageTier.MEMORY, hot.memory(), Timed::plus);
                request.addHeat(heat(hot, seen, readerHosts, nowNs));
            }
        }
        request.addAllReaderHosts(readerHosts.keySet());
        times.forEach((ofTier, timed) -> addTimes(request, ofTier, timed));
    }

    void delivered() {
        sent = List.of();
    }

    /** The next heartbeat carries it again. */
    void refused() {
        table.restore(sent);
        sent = List.of();
    }

    private HeatProto.Builder heat(
            HeatTable.Heat hot, HeartbeatExchange.ReplicaLook.Seen seen, Map<String, Integer> readerHosts, long nowNs) {
        HeatProto.Builder proto = HeatProto.newBuilder()
                .setBlock(ProtoConverter.block(seen.block()))
                .setReplicaTier(ProtoConverter.tier(seen.tier()))
                .setInMemory(tier.isResident(seen.block().key()))
                .setReads(hot.reads())
                .setBytesRead(hot.bytesRead())
                .setBytesReadFromMemory(hot.bytesReadFromMemory())
                .setWrites(hot.writes())
                .setBytesWritten(hot.bytesWritten())
                .setAgeMs(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nowNs - hot.lastNs())));
        Timed timed = hot.replica().plus(hot.memory());
        if (timed.reads() > 0 && compared.arm(hot.blockId()) != ControlSample.Arm.NEITHER) {
            proto.setTimedReads(timed.reads()).setTimedNs(timed.ns());
        }
        for (HeatTable.Reader reader : hot.readers()) {
            // 0 is the DataNode's own host; others are numbered as they come.
            int number = reader.host().equals(Peer.THIS_HOST)
                    ? 0
                    : readerHosts.computeIfAbsent(reader.host(), host -> readerHosts.size() + 1);
            proto.addReaders(number).addReadersReads(reader.reads());
        }
        return proto;
    }

    private static void addTimes(HeartbeatRequestProto.Builder request, StorageTier tier, Timed timed) {
        if (timed.reads() > 0) {
            request.addReadTimes(ReadTimeProto.newBuilder()
                    .setTier(ProtoConverter.tier(tier))
                    .setReads(timed.reads())
                    .setBytes(timed.bytes())
                    .setNs(timed.ns()));
        }
    }
}
