package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas that change while their copy is being made, which a low bandwidth makes last. */
@Tag("cluster")
class ChangesWhileCopyingTest {

    private static final int BYTES = 900_000;

    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.set(TerraceSettings.DATANODE_MEMORY_COPY_BANDWIDTH.key(), "600k");
        conf.set(TerraceSettings.DATANODE_MEMORY_CAPACITY.key(), "1m");
        cluster = TerraceCluster.start(1, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    private static CompletableFuture<MoveResult> begin(BlockKey key) {
        CompletableFuture<MoveResult> result = new CompletableFuture<>();
        cluster.service(0)
                .promotions()
                .submit(new CopyQueue.Order(new BlockVersion(key, BYTES), false, () -> true, result::complete));
        Awaitility.await()
                .pollInterval(Duration.ofMillis(2))
                .until(() -> cluster.service(0).tier().usage().usedBytes() >= BYTES);
        return result;
    }

    private static void changed(CompletableFuture<MoveResult> result, BlockKey key) throws Exception {
        assertThat(result.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(MoveOutcome.CHANGED);
        assertThat(cluster.service(0).tier().isResident(key)).isFalse();
        assertThat(cluster.service(0).tier().usage().usedBytes()).isZero();
    }

    @Test
    void append_whileCopying_givesTheCopyUp() throws Exception {
        Path file = cluster.write("append", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        CompletableFuture<MoveResult> result = begin(key);
        try (FSDataOutputStream out = cluster.fs().append(file)) {
            out.write(1);
        }
        changed(result, key);
        assertThat(cluster.read(file)).hasSize(BYTES + 1);
    }

    @Test
    void truncate_whileCopying_givesTheCopyUp() throws Exception {
        Path file = cluster.write("truncate", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        CompletableFuture<MoveResult> result = begin(key);
        cluster.fs().truncate(file, 1000);
        changed(result, key);
    }

    @Test
    void delete_whileCopying_givesTheCopyUp() throws Exception {
        Path file = cluster.write("delete", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        CompletableFuture<MoveResult> result = begin(key);
        DataNode datanode = cluster.datanode(0);
        datanode.getFSDataset().invalidate(key.pool(), new org.apache.hadoop.hdfs.protocol.Block[] {
            cluster.located(file, 0).getBlock().getLocalBlock()
        });
        changed(result, key);
        cluster.fs().delete(file, false);
    }

    /** As a stream that writes to striped blocks asks for it. */
    @Test
    void replacement_byANewStamp_endsTheCopy() throws Exception {
        Path file = cluster.write("replaced", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        assertThat(cluster.promote(0, key, BYTES).outcome()).isEqualTo(MoveOutcome.DONE);
        ExtendedBlock block = new ExtendedBlock(cluster.located(file, 0).getBlock());
        long newStamp = block.getGenerationStamp() + 1;
        block.setGenerationStamp(newStamp);
        cluster.datanode(0)
                .getFSDataset()
                .createRbw(StorageType.DEFAULT, null, block, false, newStamp)
                .close();
        assertThat(cluster.service(0).tier().isResident(key)).isFalse();
        cluster.fs().delete(file, false);
        Awaitility.await().until(() -> cluster.service(0).tier().usage().usedBytes() == 0);
    }

    @Test
    void copy_intoFullTier_isRefusedForWantOfRoom() throws Exception {
        Path first = cluster.write("first", BYTES, 1);
        Path second = cluster.write("second", BYTES, 1);
        assertThat(cluster.promote(0, cluster.key(first, 0), BYTES).outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(cluster.promote(0, cluster.key(second, 0), BYTES).outcome()).isEqualTo(MoveOutcome.NO_ROOM);
        cluster.fs().delete(first, false);
        cluster.awaitGone(0, cluster.key(second, 0));
        Awaitility.await().until(() -> cluster.service(0).tier().usage().usedBytes() == 0);
    }
}
