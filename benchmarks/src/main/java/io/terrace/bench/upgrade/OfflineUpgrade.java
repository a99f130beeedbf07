package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;

/**
 * Upgrades of HDFS for which all daemons stop: a NameNode starts with {@code -upgrade}, and DataNodes keep what they had as hard
 * links. Clients work between the steps.
 */
final class OfflineUpgrade {
    private final HaCluster cluster;
    private final SteadyLoad load;
    private final ResultSheet sheet;
    private final ChangedFiles files;

    OfflineUpgrade(HaCluster cluster, SteadyLoad load, ResultSheet sheet) {
        this.cluster = cluster;
        this.load = load;
        this.sheet = sheet;
        this.files = new ChangedFiles(cluster, sheet);
    }

    /** What was written meanwhile stays. */
    void finalized() throws IOException {
        files.write();
        int[] unused = upgraded();
        files.changeButTruncate();
        cluster.finalizeUpgrade();
        files.checkFinalized("upgrade.offline.finalized");
    }

    /** What was before is there again, with every byte, and nothing else. */
    void rolledBack() throws IOException {
        files.write();
        int[] versions = upgraded();
        files.change();
        whilePaused(() -> {
            rollBack();
            files.awaitForgotten();
            load.rolledBackTo(versions);
            files.checkRolledBack("upgrade.offline.rolledback");
            sheet.exactly("upgrade.offline.rolledback.wrong", load.check(), 0);
        });
    }

    /** Returns the versions of the clients' files when all daemons were stopped, which a rollback brings back. */
    private int[] upgraded() throws IOException {
        load.pause();
        try {
            upgrade();
            return load.versions();
        } finally {
            load.resume();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void whilePaused(Step step) throws IOException {
        load.pause();
        try {
            step.run();
        } finally {
            load.resume();
        }
    }

    private void upgrade() throws IOException {
        cluster.stopAllButJournalNodes();
        int first = cluster.active();
        cluster.startNameNode(first, "-upgrade");
        cluster.activate(first);
        cluster.format(1 - first, "-bootstrapStandby", "-force");
        cluster.start();
        sheet.progress("all daemons are upgraded");
    }

    private void rollBack() throws IOException {
        cluster.stopAllButJournalNodes();
        int first = cluster.active();
        cluster.rollBack(first);
        cluster.startNameNode(first);
        cluster.activate(first);
        cluster.format(1 - first, "-bootstrapStandby", "-force");
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            cluster.start(cluster.datanode(i), "-rollback");
        }
        cluster.start();
        sheet.progress("all daemons are rolled back");
    }
}
