package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.BlockKey;
import io.terrace.client.ClientFigures;
import io.terrace.metrics.Figure;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** Users of one JVM who read the memory of other hosts, where no block tokens tell them apart. */
class RemoteUsersTest {

    private static final int BYTES = 200_000;

    private static long readBy(FileSystem files, Path file) throws Exception {
        long before = ClientFigures.value(Figure.CLIENT_REMOTE_BYTES);
        try (FSDataInputStream in = files.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("shared", BYTES));
        }
        return ClientFigures.value(Figure.CLIENT_REMOTE_BYTES) - before;
    }

    @Test
    void users_ofOneJvm_haveAGrantEach() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsTest.OUT_OF_EPHEMERAL_PORTS);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            Path file = cluster.write("shared", BYTES, 1);
            cluster.pin(file, 1);
            BlockKey key = cluster.key(file, 0);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.service(0).tier().isResident(key));
            Configuration remote = OtherHostClient.configuration(cluster.fs().getConf(), Duration.ofSeconds(5));
            try (FileSystem alice = FileSystem.newInstance(cluster.cluster().getURI(), remote, "alice");
                    FileSystem bob = FileSystem.newInstance(cluster.cluster().getURI(), remote, "bob")) {
                // News of what is in memory takes a moment.
                await().atMost(Duration.ofSeconds(20)).until(() -> readBy(alice, file) == BYTES);
                long grants = ClientFigures.value(Figure.CLIENT_REMOTE_GRANTS);
                assertThat(readBy(alice, file)).isEqualTo(BYTES);
                assertThat(ClientFigures.value(Figure.CLIENT_REMOTE_GRANTS))
                        .as("hers is shared by all that she reads")
                        .isEqualTo(grants);
                assertThat(readBy(bob, file)).isEqualTo(BYTES);
                assertThat(ClientFigures.value(Figure.CLIENT_REMOTE_GRANTS))
                        .as("he is given his own, over the same connection")
                        .isEqualTo(grants + 1);
                assertThat(cluster.service(0).tier().usage().grants()).isEqualTo(2);
            }
        }
    }
}
