package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.ClientConfig;
import io.terrace.client.write.EndedBlock;
import io.terrace.client.write.ScriptedDataNode;
import io.terrace.client.write.WriteClient;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files whose NameNode and DataNodes are a test's. */
@Timeout(60)
final class TerraceOutputStreamTest {
    private static final int BYTES = 200_000;

    private final Configuration conf = new HdfsConfiguration();
    private final byte[] written = new byte[BYTES];
    private @Nullable DFSClient client;
    private @Nullable WriteClient writes;

    @BeforeEach
    void configure() {
        new Random(1).nextBytes(written);
        conf.setInt(TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key(), ScriptedDataNode.PORT_OFFSET);
        conf.setBoolean(TerraceSettings.CLIENT_WRITE_THROUGH.key(), true);
        conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_DATANODE_RESTART_TIMEOUT_KEY, 0);
    }

    private TerraceOutputStream create(FakeNameNode nameNode, int replication) throws IOException {
        DFSClient dfs = new DFSClient(null, nameNode.protocol(), conf, new FileSystem.Statistics("hdfs"));
        client = dfs;
        WriteClient own = WriteClient.ofItsOwn(ClientConfig.from(conf), new MetricRegistry());
        writes = own;
        HdfsFileStatus stat = new HdfsFileStatus.Builder()
                .replication(replication)
                .blocksize(1 << 20)
                .build();
        TerraceOutputStream out = new TerraceOutputStream(
                own,
                new ExcludableNodes(),
                dfs,
                "/file",
                stat,
                EnumSet.of(CreateFlag.CREATE),
                null,
                DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
                null);
        out.start();
        return out;
    }

    @AfterEach
    void close() throws IOException {
        if (client != null) {
            client.close();
        }
        if (writes != null) {
            writes.close();
        }
    }

    /** As in an upgrade, of the only DataNode of a block or of the one on the client's host: stock's code would wait for these. */
    @Test
    void newBlock_atADataNodeThatRestarts_goesToAnother() throws IOException {
        try (ScriptedDataNode restarting = ScriptedDataNode.refusing("restarting", Status.OOB_RESTART);
                ScriptedDataNode other = ScriptedDataNode.taking("other")) {
            TerraceOutputStream out = create(new FakeNameNode(1, restarting.info(), other.info()), 1);
            out.write(written);
            out.close();
            assertThat(other.written()).containsExactly(written);
        }
    }

    /** Or a rolling upgrade under one long file uses up all DataNodes. */
    @Test
    void newBlock_ofSeveralDataNodesOfWhichOneRestarts_takesItBackLater() throws Exception {
        try (ScriptedDataNode restarting = ScriptedDataNode.refusing("restarting", Status.OOB_RESTART);
                ScriptedDataNode other = ScriptedDataNode.taking("other");
                ScriptedDataNode third = ScriptedDataNode.taking("third")) {
            TerraceOutputStream out = create(new FakeNameNode(2, restarting.info(), other.info(), third.info()), 2);
            out.write(written);
            out.close();
            Field failed = DataStreamer.class.getDeclaredField("failed");
            failed.setAccessible(true);
            assertThat((List<?>) failed.get(out.getStreamer())).isEmpty();
        }
    }

    /** Stock's streamer calls itself closed until it has given the block back. */
    @Test
    void newBlock_atADataNodeThatRefuses_leavesTheStreamOpen() throws IOException {
        try (ScriptedDataNode refusing = ScriptedDataNode.refusing("refusing", Status.ERROR);
                ScriptedDataNode other = ScriptedDataNode.taking("other")) {
            FakeNameNode nameNode = new FakeNameNode(1, refusing.info(), other.info());
            TerraceOutputStream out = create(nameNode, 1);
            AtomicBoolean closed = new AtomicBoolean(true);
            nameNode.abandoned = () -> closed.set(out.isClosed());
            out.write(written);
            out.close();
            assertThat(closed).isFalse();
            assertThat(other.written()).containsExactly(written);
        }
    }

    /** The NameNode may accept the file all the same: the first DataNode has told it of its replica before it went. */
    @Test
    void close_thatWaitsForTheNameNode_failsWhenTheBlockIsLostMeanwhile() throws IOException {
        conf.set(TerraceSettings.CLIENT_WRITE_CLOSE.key(), "minimal");
        try (ScriptedDataNode leaving = ScriptedDataNode.leaving("leaving")) {
            FakeNameNode nameNode = new FakeNameNode(2, leaving.info(), ScriptedDataNode.gone("gone"));
            TerraceOutputStream out = create(nameNode, 2);
            nameNode.completes = () -> false;
            out.write(written);
            assertThatThrownBy(out::close).isInstanceOf(EndedBlock.LostException.class);
        }
    }

    /** Whoever closed the file may go; the DataNodes that lack some of it get it all the same. */
    @Test
    void close_thatIsInterruptedWhileItWaitsForDataNodes_leavesTheFileToItsStreamer() throws Exception {
        conf.set(TerraceSettings.CLIENT_WRITE_CLOSE.key(), "minimal");
        try (ScriptedDataNode held = ScriptedDataNode.holding("held");
                Closeable unused = ScriptedDataNode.manyFilesUnfinished()) {
            FakeNameNode nameNode = new FakeNameNode(2, held.info(), ScriptedDataNode.gone("lacking"));
            TerraceOutputStream out = create(nameNode, 2);
            nameNode.completes = () -> {
                Thread.currentThread().interrupt();
                return true;
            };
            out.write(written);
            out.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(out.getStreamer().isAlive()).isTrue();
            held.letOthersHaveIt();
            out.getStreamer().join();
            assertThat(held.written()).containsExactly(written);
        }
    }
}
