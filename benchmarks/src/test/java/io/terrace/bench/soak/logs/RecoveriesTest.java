package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines as Hadoop 3.5.0 logs them. */
final class RecoveriesTest {
    private static final String THREE = "127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3";

    private final List<RecoveryLine> each = new ArrayList<>();

    @TempDir
    private Path dir;

    @Test
    void recoveries_areCountedByTheirTargets() throws IOException {
        log("namenode-0.log", RecoveryLines.kept(7, 1002, THREE));
        log("namenode-0.log", RecoveryLines.kept(8, 1003, "127.0.0.1:1"));
        log("namenode-0.log.1", RecoveryLines.copied(9, 20, 1004, "127.0.0.1:1, 127.0.0.1:2"));
        log("namenode-0.log.2", RecoveryLines.copied(9, 21, 1005, "127.0.0.1:1"));
        log("namenode-0.log", RecoveryLines.kept(10, 1006, ""));

        Recoveries recoveries = read();

        assertThat(figure(recoveries, "recoveries")).isEqualTo(4);
        assertThat(figure(recoveries, "recoveries.several")).isEqualTo(2);
        assertThat(figure(recoveries, "recoveries.several.cut")).isEqualTo(1);
        assertThat(figure(recoveries, "recoveries.single")).isEqualTo(2);
        assertThat(figure(recoveries, "recoveries.deleted")).isEqualTo(1);
    }

    @Test
    void recovery_thatIsLoggedTwice_countsOnce_andARequestNever() throws IOException {
        String line = RecoveryLines.kept(7, 1002, THREE);
        log("namenode-0.log", line);
        log("namenode-1.log", line);
        log("namenode-0.log", RecoveryLines.request(7, 1002, THREE));
        log("namenode-0.log", RecoveryLines.request(8, 1003, THREE));
        log("datanode-1.log", RecoveryLines.kept(9, 1004, THREE));

        Recoveries recoveries = read();
        recoveries.take("namenode-0", line);

        assertThat(figure(recoveries, "recoveries")).isEqualTo(1);
        assertThat(figure(recoveries, "recoveries.several")).isEqualTo(1);
        assertThat(each).hasSize(1);

        log("namenode-0.log", RecoveryLines.kept(7, 1009, THREE));
        assertThat(figure(read(), "recoveries.several"))
                .as("the next one of that block")
                .isEqualTo(2);
    }

    @Test
    void dataNodes_sayWhetherTheyTookPart() throws IOException {
        for (int i = 1; i <= 2; i++) {
            log("datanode-" + i + ".log", updated(7, 1002));
            log("datanode-" + i + ".log", updated(8, 1010 + i));
            log("datanode-" + i + ".log", begun("blk_7_1001", "RBW"));
            log("datanode-" + i + ".log", begun("blk_8_1005", "FINALIZED"));
        }
        log("datanode-2.log", updated(8, 1012));
        log("datanode-1.log", begun("blk_9_1006", "RBW"));
        log(
                "datanode-3.log",
                "2026-11-28 08:57:41,435 WARN  org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol: "
                        + "Failed to recover block (block=BP-2-127.0.0.1-1:blk_8_1005, datanode=DatanodeInfoWithStorage[127.0.0.1:1])");

        Recoveries recoveries = read();

        assertThat(figure(recoveries, "recoveries.several.updated")).isEqualTo(1);
        assertThat(figure(recoveries, "recoveries.several.open")).isEqualTo(1);
        assertThat(figure(recoveries, "recoveries.refused")).isEqualTo(1);
        assertThat(figure(recoveries, "recoveries")).isZero();
    }

    private Recoveries read() throws IOException {
        Recoveries recoveries = new Recoveries(each::add);
        new DaemonLogs(dir).read("", recoveries::take);
        return recoveries;
    }

    private static long figure(Recoveries recoveries, String name) {
        return recoveries.figures().get(name);
    }

    private void log(String name, String line) throws IOException {
        Path log = dir.resolve(name);
        Files.writeString(log, (Files.exists(log) ? Files.readString(log) : "") + line + "\n");
    }

    private static String updated(long block, long stamp) {
        return "2026-11-28 08:57:18,361 INFO  org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl: updateReplica: "
                + "BP-225671868-127.0.0.1-1795856164605:blk_" + block
                + "_1001[numBytes=2097152,originalReplicaState=FINALIZED], recoveryId=" + stamp
                + ", length=1238298, replica=ReplicaUnderRecovery, blk_" + block + "_1001, RUR";
    }

    private static String begun(String block, String state) {
        return "2026-11-28 08:57:17,488 INFO  org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl:"
                + " initReplicaRecovery: changing replica state for " + block + " from " + state + " to RUR";
    }
}
