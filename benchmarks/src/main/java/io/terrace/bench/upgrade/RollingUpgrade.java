package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.RollingUpgradeInfo;

/** Rolling upgrades of HDFS, which keep what was before, on a cluster with Terrace. */
final class RollingUpgrade {
    private static final int PREPARED_SECONDS = 120;

    private final HaCluster cluster;
    private final SteadyLoad load;
    private final Restart restart;
    private final ResultSheet sheet;
    private final ChangedFiles files;

    /** Ends a DataNode, starts it again and waits until it is known. */
    interface Restart {
        void of(HaCluster cluster, Daemon datanode) throws IOException;
    }

    RollingUpgrade(HaCluster cluster, SteadyLoad load, Restart restart, ResultSheet sheet) {
        this.cluster = cluster;
        this.load = load;
        this.restart = restart;
        this.sheet = sheet;
        this.files = new ChangedFiles(cluster, sheet);
    }

    /** All daemons restart between prepare and finalize; clients go on. */
    void finalized() throws IOException {
        prepare();
        awaitImage();
        for (int i = 0; i < 2; i++) {
            int standby = 1 - cluster.active();
            cluster.stop(cluster.namenode(standby));
            cluster.startNameNode(standby);
            cluster.awaitStandby(standby);
            cluster.failOver();
        }
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            restart.of(cluster, cluster.datanode(i));
        }
        RollingUpgradeInfo info = cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
        sheet.exactly("upgrade.finalized", info.isFinalized() ? 1 : 0, 1);
    }

    /** What was before prepare is there again, with every byte, and nothing else. */
    void rolledBack() throws IOException {
        files.write();
        int[] versions = prepare();
        awaitImage();
        files.change();
        load.pause();
        try {
            rollBack();
            files.awaitForgotten();
            load.rolledBackTo(versions);
            files.checkRolledBack("upgrade.rolledback");
            sheet.exactly("upgrade.rolledback.wrong", load.check(), 0);
        } finally {
            load.resume();
        }
    }

    /** Between two calls of the clients, so that it is known what a rollback brings back; returns the versions of their files. */
    private int[] prepare() throws IOException {
        load.pause();
        try {
            RollingUpgradeInfo unused = cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
            return load.versions();
        } finally {
            load.resume();
        }
    }

    private void awaitImage() throws IOException {
        UpgradeRun.require(Waits.untilRight(PREPARED_SECONDS, () -> {
            RollingUpgradeInfo info = cluster.fs().rollingUpgrade(RollingUpgradeAction.QUERY);
            return info != null && info.createdRollbackImages()
                    ? Optional.empty()
                    : Optional.of("there is no image to roll back to");
        }));
    }

    private void rollBack() throws IOException {
        cluster.stopAllButJournalNodes();
        int first = cluster.active();
        cluster.startNameNode(first, "-rollingUpgrade rollback");
        cluster.activate(first);
        cluster.format(1 - first, "-bootstrapStandby", "-force");
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            cluster.start(cluster.datanode(i), "-rollback");
        }
        cluster.start();
    }
}
