package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a placement service that cannot start. */
@Tag("cluster")
class FailedStartTest {

    @TempDir
    Path dir;

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("terrace-"))
                .collect(Collectors.toSet());
    }

    @Test
    void start_thatFailsOverASetting_leavesNoThread() throws Exception {
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        new HdfsConfiguration(), dir.resolve("cluster").toFile())
                .numDataNodes(0)
                .build()) {
            cluster.waitActive();
            Set<Thread> before = threads();
            Configuration conf = new Configuration(cluster.getConfiguration(0));
            conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
            conf.set("terrace.placement.journal.dir", dir.resolve("journal").toString());
            conf.set("terrace.placement.access-log.dir", dir.resolve("log").toString());
            conf.set("terrace.placement.interval", "soon");
            assertThatThrownBy(() -> PlacementService.start(cluster.getNameNode(), conf))
                    .hasMessageContaining("terrace.placement.interval");
            Set<Thread> after = threads();
            after.removeAll(before);
            assertThat(after).isEmpty();
        }
    }
}
