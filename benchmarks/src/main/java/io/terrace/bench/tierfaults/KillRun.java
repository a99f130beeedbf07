package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.tierfaults.ReplicaAudit.OnDisk;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/** One kill: replicas move, the daemon dies and is started again, and files and replicas are looked at. */
final class KillRun {
    private static final int BEGIN_SECONDS = 60;
    private static final int REPORT_SECONDS = 90;
    private static final int ARRIVAL_SECONDS = 120;
    private static final int QUIET_SECONDS = 30;
    private static final long READ_AGAIN_NS = TimeUnit.SECONDS.toNanos(5);

    /** Within this time after a DataNode's report, all replicas must be right. */
    static final int SETTLED_SECONDS = 10;

    private static final String DONE = "placement.volume.moves.done";

    private final LocalCluster cluster;
    private final DistributedFileSystem fs;
    private final DataSet data;
    private final ReplicaAudit audit;

    KillRun(LocalCluster cluster, DistributedFileSystem fs, DataSet data) {
        this.cluster = cluster;
        this.fs = fs;
        this.data = data;
        this.audit = new ReplicaAudit(ReplicaAudit.nodes(cluster), fs, data);
    }

    /**
     * What became of a point.
     *
     * @param violation what must not be; empty if all is well
     * @param unfinished files that were being copied when the DataNode died
     * @param doubles blocks with two whole copies then
     * @param toMove blocks that had not arrived then
     * @param settledMs from the report until each replica was right
     */
    record Result(String violation, int unfinished, long doubles, long toMove, long settledMs) {
        private static Result of(String violation) {
            return new Result(violation, 0, 0, 0, 0);
        }
    }

    Result run(KillPoint point) throws IOException {
        Optional<String> fault = bringTo(point.from());
        if (fault.isPresent()) {
            return Result.of("before the kill, " + fault.get());
        }
        Daemon victim = point.datanode() == 0 ? cluster.namenode() : cluster.datanode(point.datanode());
        fault = moveUntil(point);
        if (fault.isPresent()) {
            return Result.of("before the kill, " + fault.get());
        }
        victim.kill();
        long killedMs = System.currentTimeMillis();
        long toMove = audit.onDisk().without(point.to());
        OnDisk dead = point.datanode() == 0 ? null : audit.onDisk(point.datanode());
        cluster.start(victim);
        fault = Waits.untilRight(REPORT_SECONDS, () -> unreported(point, killedMs));
        if (fault.isPresent()) {
            return Result.of(fault.get());
        }
        long reportedNs = System.nanoTime();
        fault = settled();
        long settledMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - reportedNs);
        fault = fault.isPresent() ? fault : wrongBytes();
        fault = fault.isPresent() ? fault : arrival(point.to());
        fault = fault.isPresent() ? fault : Waits.untilRight(QUIET_SECONDS, this::notQuiet);
        return new Result(
                fault.orElse(""),
                dead == null ? 0 : dead.unfinished().size(),
                dead == null ? 0 : dead.doubles(),
                toMove,
                settledMs);
    }

    /** All replicas are there, or come there. */
    private Optional<String> bringTo(StorageType type) throws IOException {
        if (audit.on(type).size() == data.files().size()) {
            return Optional.empty();
        }
        apply(type);
        Optional<String> fault = wrongBytes();
        return fault.isPresent() ? fault : arrival(type);
    }

    private void apply(StorageType type) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            placement.apply(TierFaults.policy(type));
        }
    }

    private Optional<String> moveUntil(KillPoint point) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            long before = placement.serviceFigures().getOrDefault(DONE, 0L);
            apply(point.to());
            long wanted = before + (long) (point.arrived() * data.files().size());
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(BEGIN_SECONDS);
            long done = before;
            while (done < wanted) {
                if (System.nanoTime() - deadlineNs > 0) {
                    return Optional.of(done - before + " moves of " + (wanted - before) + " were made");
                }
                done = placement.serviceFigures().getOrDefault(DONE, 0L);
            }
        }
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(point.delayUs()));
        return Optional.empty();
    }

    /** A DataNode that the NameNode has no new report of. */
    private Optional<String> unreported(KillPoint point, long killedMs) throws IOException {
        int port = point.datanode() == 0
                ? 0
                : cluster.ports().datanodes().get(point.datanode() - 1).transfer();
        int reported = 0;
        for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.LIVE)) {
            boolean waited = port == 0 || node.getXferPort() == port;
            if (waited && node.getLastBlockReportTime() < killedMs) {
                return Optional.of(node + " has not reported its replicas");
            }
            reported++;
        }
        return reported == cluster.spec().datanodes()
                ? Optional.empty()
                : Optional.of(reported + " DataNodes are live");
    }

    /** Each replica was once on one volume and where the NameNode had it. They move on meanwhile. */
    private Optional<String> settled() throws IOException {
        Set<String> settled = new HashSet<>();
        return Waits.untilRight(SETTLED_SECONDS, () -> {
            settled.addAll(audit.agreeing());
            int missing = data.files().size() - settled.size();
            return missing == 0
                    ? Optional.empty()
                    : Optional.of(missing + " replicas are not on one volume, or the NameNode has them elsewhere");
        });
    }

    /** Reads all files, which also tells the service of them. */
    private Optional<String> wrongBytes() throws IOException {
        long wrong = 0;
        Configuration conf = cluster.confStock();
        // The first call after a kill may use a connection to the NameNode that was killed.
        conf.set(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, "true");
        try (VerifyingClient reader =
                new VerifyingClient(ClientVariant.stock().open(conf).fs(), data)) {
            for (int file = 0; file < data.files().size(); file++) {
                try {
                    long length = fs.getFileStatus(
                                    new Path(data.files().get(file).path()))
                            .getLen();
                    if (length != data.files().get(file).lengthBytes()) {
                        return Optional.of(data.files().get(file).path() + " has " + length + " bytes");
                    }
                    wrong += reader.read(file, 0, data.files().get(file).lengthBytes())
                            .wrongBytes();
                } catch (IOException e) {
                    return Optional.of(data.files().get(file).path() + " cannot be read: " + e);
                }
            }
        }
        return wrong == 0 ? Optional.empty() : Optional.of(wrong + " bytes are wrong");
    }

    /** The service goes on where it was, for files that are read. */
    private Optional<String> arrival(StorageType type) throws IOException {
        long[] readNs = {System.nanoTime()};
        return Waits.untilRight(ARRIVAL_SECONDS, () -> {
            int missing = data.files().size() - audit.on(type).size();
            if (missing > 0 && System.nanoTime() - readNs[0] > READ_AGAIN_NS) {
                readNs[0] = System.nanoTime();
                Optional<String> fault = wrongBytes();
                if (fault.isPresent()) {
                    return fault;
                }
            }
            return missing == 0
                    ? Optional.empty()
                    : Optional.of(missing + " replicas have not come to " + KillPoint.tier(type));
        });
    }

    /** What is left when nothing moves any more. */
    private Optional<String> notQuiet() throws IOException {
        OnDisk found = audit.onDisk();
        if (!found.unfinished().isEmpty()) {
            return Optional.of(found.unfinished().get(0) + " is left");
        }
        if (found.doubles() > 0 || found.loneMetas() > 0 || found.loneData() > 0) {
            return Optional.of(found.doubles() + " blocks are in two volumes, " + found.loneMetas()
                    + " meta files are without their data, and " + found.loneData() + " data files without their meta");
        }
        int wrong = data.files().size() - audit.agreeing().size();
        return wrong == 0 ? Optional.empty() : Optional.of(wrong + " replicas are not where the NameNode has them");
    }
}
