package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.datanode.memory.BackgroundChecks;
import io.terrace.datanode.memory.LeftoverRecovery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.util.AutoCloseableLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A DataNode that is stopped again while it still verifies what the process before it left. */
@Tag("cluster")
class StopAmidLeftoversTest {

    private static final int BYTES = 300_000;
    private static final int COPIES = 3;
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void stop_whileLeftoversAreVerified_keepsThemAll() throws Exception {
        try (TerraceCluster cluster = TerraceCluster.start(1)) {
            String pool = "";
            for (int i = 0; i < COPIES; i++) {
                BlockKey key = cluster.key(cluster.write("copy" + i, BYTES, 1), 0);
                cluster.promote(0, key, BYTES);
                pool = key.pool();
            }
            cluster.stopPlugin(0);
            assertThat(copies(cluster)).isEqualTo(COPIES);
            Thread stopper = new Thread(() -> cluster.stopPlugin(0), "stopper");
            // The first is not settled before the lock of its replica is there.
            try (AutoCloseableLock ignored = cluster.datanode(0)
                    .getFSDataset()
                    .acquireDatasetLockManager()
                    .writeLock(LockLevel.BLOCK_POOl, pool)) {
                cluster.startPlugin(0);
                DataNodeTiers service = cluster.service(0);
                await().atMost(SOON).until(() -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> isIn(LeftoverRecovery.class, thread)));
                stopper.start();
                await().atMost(SOON).until(() -> isIn(BackgroundChecks.class, stopper));
                assertThat(service.tier().serves(pool))
                        .as("the tier is closed once nothing is verified any more")
                        .isTrue();
            }
            stopper.join();
            assertThat(copies(cluster)).isEqualTo(COPIES);
        }
    }

    private static boolean isIn(Class<?> part, Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(part.getName()));
    }

    private static long copies(TerraceCluster cluster) throws IOException {
        try (Stream<Path> files = Files.walk(cluster.memoryDir(0))) {
            return files.filter(file -> file.getFileName().toString().startsWith("blk_"))
                    .count();
        }
    }
}
