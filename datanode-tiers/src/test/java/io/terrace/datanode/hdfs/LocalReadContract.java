package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.Peer;
import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What clients of a DataNode's own host may rely on, whatever tier they are granted: every byte is right while blocks are
 * appended to, truncated and deleted, what they read is accounted, and nobody reads without a token. With block tokens.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LocalReadContract {

    static final Duration PATIENCE = Duration.ofSeconds(20);
    static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;

    private static final Peer HOLDER = new Peer(77, "somebody", "", false, "test");

    TerraceCluster cluster;
    private DistributedFileSystem byAccessor;
    private DistributedFileSystem byFileSystem;

    /** By the tests that ran in this JVM before, on other DataNodes. */
    private long grantedBefore;

    abstract TerraceCluster start(Configuration conf) throws IOException;

    abstract StorageTier tier();

    /** Who gives the grants of this tier. */
    abstract TierGrantService grantService();

    /** Makes all blocks of a file such that they are granted now, or soon after they were read. */
    abstract void offer(Path file) throws Exception;

    /** Whether the DataNode keeps anything of a block for those who read it. */
    abstract boolean keeps(BlockKey key) throws IOException;

    @BeforeAll
    void startCluster() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        cluster = start(conf);
        byAccessor = cluster.grantedClient();
        byFileSystem = cluster.memoryFirstClient();
        ClientMetrics.flush();
        grantedBefore = grantedBytes();
    }

    @AfterAll
    void stopCluster() throws IOException {
        byAccessor.close();
        byFileSystem.close();
        cluster.close();
    }

    DistributedFileSystem client(String kind) {
        return kind.equals("accessor") ? byAccessor : byFileSystem;
    }

    static byte[] read(DistributedFileSystem fs, Path file) throws IOException {
        try (FSDataInputStream in = fs.open(file)) {
            return in.readAllBytes();
        }
    }

    /** What clients of this process were served from this tier of their host. */
    long grantedBytes() {
        long nvm = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_NVM_BYTES);
        return tier() == StorageTier.NVM ? nvm : ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) - nvm;
    }

    private long accountedBytes() {
        long nvm = cluster.figure(0, Metric.READS_GRANTED_NVM_BYTES);
        return tier() == StorageTier.NVM ? nvm : cluster.figure(0, Metric.READS_GRANTED_BYTES) - nvm;
    }

    /** Reads the file until all of it comes through grants of the tier. */
    void awaitGranted(DistributedFileSystem fs, Path file, int bytes) {
        await().alias(file + " from " + tier()).atMost(PATIENCE).until(() -> {
            long before = grantedBytes();
            read(fs, file);
            return grantedBytes() - before >= bytes;
        });
    }

    Path granted(String name, int bytes, DistributedFileSystem fs) throws Exception {
        Path file = cluster.write(directory() + name, bytes, 1);
        offer(file);
        awaitGranted(fs, file, bytes);
        return file;
    }

    String directory() {
        return tier().name().toLowerCase(Locale.ROOT) + "/";
    }

    byte[] contents(String name, int bytes) {
        return TerraceCluster.contents(directory() + name, bytes);
    }

    /** A grant of somebody who does not hear that he should give it back. */
    Grant hold(Path file) throws IOException {
        return (Grant) grantService().grant(HOLDER, new GrantRequest(cluster.key(file, 0), token(file), false));
    }

    void release(Grant grant) {
        grantService().released(HOLDER, grant.grantId());
    }

    private byte[] token(Path file) throws IOException {
        try (DataOutputBuffer out = new DataOutputBuffer()) {
            cluster.located(file, 0).getBlockToken().write(out);
            return Arrays.copyOf(out.getData(), out.getLength());
        }
    }

    /** Where a grant's link is. */
    abstract java.nio.file.Path link(Grant grant) throws IOException;

    @ParameterizedTest
    @ValueSource(strings = {"accessor", "file system"})
    void read_givesTheFilesBytes_andIsAccounted(String kind) throws Exception {
        DistributedFileSystem fs = client(kind);
        Path file = granted("whole " + kind, BYTES, fs);
        ClientMetrics.flush();
        long read = grantedBytes();
        long stock = cluster.figure(0, Metric.READS_STOCK_REPLICA) + cluster.figure(0, Metric.READS_STOCK_MEMORY);
        assertThat(read(fs, file)).isEqualTo(contents("whole " + kind, BYTES));
        assertThat(grantedBytes() - read).isEqualTo(BYTES);
        assertThat(cluster.figure(0, Metric.READS_STOCK_REPLICA) + cluster.figure(0, Metric.READS_STOCK_MEMORY))
                .isEqualTo(stock);
        ClientMetrics.flush();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(accountedBytes()).isEqualTo(grantedBytes() - grantedBefore));
        assertThat(cluster.figure(0, Metric.READS_GRANTED_REJECTED)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"accessor", "file system"})
    void positionalReads_intoAnyTarget_giveTheFilesBytes(String kind) throws Exception {
        DistributedFileSystem fs = client(kind);
        Path file = granted("positional " + kind, BYTES, fs);
        byte[] contents = contents("positional " + kind, BYTES);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (FSDataInputStream in = fs.open(file)) {
            for (int i = 0; i < 200; i++) {
                int bytes = 1 + random.nextInt(i % 10 == 0 ? 1 << 20 : 10_000);
                int at = random.nextInt(BYTES - bytes);
                byte[] got = new byte[bytes];
                if (i % 2 == 0) {
                    in.readFully(at, got);
                } else {
                    in.seek(at);
                    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
                    while (buffer.hasRemaining() && in.read(buffer) >= 0) {}
                    buffer.flip().get(got);
                }
                assertThat(got)
                        .as("seed %d, %d bytes at %d", seed, bytes, at)
                        .isEqualTo(Arrays.copyOfRange(contents, at, at + bytes));
            }
        }
    }

    @Test
    void append_leavesLeasedBytesWhole_andIsReadAfterwards() throws Exception {
        int bytes = 300_000;
        Path file = granted("appended", bytes, byFileSystem);
        byte[] contents = contents("appended", bytes);
        BlockKey key = cluster.key(file, 0);
        Grant grant = hold(file);
        assertThat(grant.descriptor().tier()).isEqualTo(tier());
        byte[] more = TerraceCluster.contents("more", 1000);
        try (FSDataInputStream open = byFileSystem.open(file)) {
            open.readFully(new byte[1000]);
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(more);
            }
            assertThat(Files.readAllBytes(link(grant))).isEqualTo(contents);
            assertThat(open.readAllBytes()).isEqualTo(Arrays.copyOfRange(contents, 1000, bytes));
        }
        assertThat(read(byFileSystem, file))
                .hasSize(bytes + 1000)
                .startsWith(contents)
                .endsWith(more);
        offer(file);
        awaitGranted(byFileSystem, file, bytes + 1000);
        assertThat(Files.readAllBytes(link(grant))).isEqualTo(contents);
        assertThat(keeps(key)).isTrue();
        Files.delete(link(grant));
        release(grant);
        await().atMost(PATIENCE).until(() -> !keeps(key));
    }

    @Test
    void truncate_isReadAtItsNewLength() throws Exception {
        int bytes = 300_000;
        int shorter = 100_001;
        Path file = granted("truncated", bytes, byFileSystem);
        if (!byFileSystem.truncate(file, shorter)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> cluster.fs().isFileClosed(file));
        }
        byte[] expected = Arrays.copyOf(contents("truncated", bytes), shorter);
        assertThat(read(byFileSystem, file)).isEqualTo(expected);
        offer(file);
        awaitGranted(byFileSystem, file, shorter);
        assertThat(read(byFileSystem, file)).isEqualTo(expected);
    }

    @Test
    void delete_leavesLeasedBytesWhole_untilTheGrantEnds() throws Exception {
        int bytes = 300_000;
        Path file = granted("deleted", bytes, byFileSystem);
        BlockKey key = cluster.key(file, 0);
        Grant grant = hold(file);
        java.nio.file.Path replica = cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
        cluster.fs().delete(file, false);
        await().atMost(PATIENCE).until(() -> !Files.exists(replica));
        assertThat(Files.readAllBytes(link(grant))).isEqualTo(contents("deleted", bytes));
        assertThat(keeps(key)).isTrue();
        Files.delete(link(grant));
        release(grant);
        await().atMost(PATIENCE).until(() -> !keeps(key));
    }

    @Test
    void withoutItsToken_itIsRefused() throws Exception {
        Path file = granted("secret", 1000, byFileSystem);
        GrantRequest forged = new GrantRequest(cluster.key(file, 0), new byte[] {0, 0, 0, 0}, false);
        assertThat(grantService().grant(HOLDER, forged))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.BAD_TOKEN));
    }

    @Test
    void whoOpensALink_cannotWriteIt() throws Exception {
        Path file = granted("read only", 1000, byFileSystem);
        Grant grant = hold(file);
        java.nio.file.Path link = link(grant);
        assertThat((int) Files.getAttribute(link, "unix:mode") & 0022).isZero();
        java.nio.file.Path directory = link.getParent();
        assertThat(directory).isNotNull();
        assertThat((int) Files.getAttribute(directory, "unix:mode") & 0777).isEqualTo(0711);
        Files.delete(link);
        release(grant);
    }

    @Test
    void off_endsTheGrants_andOnBringsThemBack() throws Exception {
        Path file = granted("switched", TerraceCluster.BLOCK_BYTES, byFileSystem);
        byte[] contents = contents("switched", TerraceCluster.BLOCK_BYTES);
        BlockKey key = cluster.key(file, 0);
        cluster.service(0).tier().serve(key.pool(), false, System.nanoTime());
        try {
            await().atMost(PATIENCE).until(() -> !keeps(key));
            long granted = grantedBytes();
            for (int i = 0; i < 5; i++) {
                assertThat(read(byFileSystem, file)).isEqualTo(contents);
            }
            assertThat(grantedBytes()).isEqualTo(granted);
        } finally {
            cluster.service(0).tier().serve(key.pool(), true, System.nanoTime());
        }
        offer(file);
        awaitGranted(byFileSystem, file, TerraceCluster.BLOCK_BYTES);
    }
}
