package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.RefusalReason;
import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.datanode.grant.TokenVerifier;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.metrics.Metric;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.token.Token;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that read memory copies through grants, on a cluster of two DataNodes with block tokens. */
@Tag("cluster")
class GrantedReadsTest {

    private static final int BYTES = 900_000;

    private static TerraceCluster cluster;
    private static DistributedFileSystem client;

    /** By the tests that ran in this JVM before, on other DataNodes. */
    private static long grantedBefore;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        cluster = TerraceCluster.start(2, conf);
        client = cluster.grantedClient();
        ClientMetrics.flush();
        grantedBefore = grantedBytes();
    }

    @AfterAll
    static void stop() throws IOException {
        client.close();
        cluster.close();
    }

    private static int pinnedOn(Path file) throws IOException {
        cluster.pin(file, 1);
        BlockKey key = cluster.key(file, 0);
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> resident(0, key) || resident(1, key));
        return resident(0, key) ? 0 : 1;
    }

    private static boolean resident(int datanode, BlockKey key) {
        return cluster.service(datanode).tier().isResident(key);
    }

    private static long grantedBytes() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
    }

    private static byte[] all(Path file) throws IOException {
        try (FSDataInputStream in = client.open(file)) {
            return in.readAllBytes();
        }
    }

    /** Reads until the client came to use a grant: it learns of a new resident block within a moment. */
    private static void awaitGranted(Path file) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
            long before = grantedBytes();
            all(file);
            return grantedBytes() - before >= BYTES;
        });
    }

    @Test
    void read_ofResidentBlock_isGrantedAndAccountedByTheDataNode() throws Exception {
        Path file = cluster.write("granted", BYTES, 2);
        int datanode = pinnedOn(file);
        awaitGranted(file);

        ClientMetrics.flush();
        Awaitility.await()
                .until(() ->
                        cluster.figure(0, Metric.READS_GRANTED_BYTES) + cluster.figure(1, Metric.READS_GRANTED_BYTES)
                                == grantedBytes() - grantedBefore);
        long figureBefore = cluster.figure(datanode, Metric.READS_GRANTED_BYTES);
        long stockBefore = stockBytesRead(datanode);
        byte[] expected = TerraceCluster.contents("granted", BYTES);
        Random random = new Random(4);
        long read = 0;
        try (FSDataInputStream in = client.open(file)) {
            byte[] buffer = new byte[70_000];
            for (int i = 0; i < 300; i++) {
                int offset = random.nextInt(BYTES - buffer.length);
                in.readFully(offset, buffer);
                read += buffer.length;
                assertThat(Arrays.equals(buffer, 0, buffer.length, expected, offset, offset + buffer.length))
                        .isTrue();
            }
        }
        ClientMetrics.flush();
        long total = read;
        Awaitility.await()
                .untilAsserted(() -> assertThat(cluster.figure(datanode, Metric.READS_GRANTED_BYTES) - figureBefore)
                        .isEqualTo(total));
        assertThat(stockBytesRead(datanode) - stockBefore).isEqualTo(total);
        assertThat(cluster.figure(datanode, Metric.READS_GRANTED_REJECTED)).isZero();
    }

    private static long stockBytesRead(int datanode) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance()
                .getSource(cluster.datanode(datanode).getMetrics().name())
                .getMetrics(collector, true);
        for (AbstractMetric metric : collector.getRecords().get(0).metrics()) {
            if (metric.name().equals("BytesRead")) {
                return metric.value().longValue();
            }
        }
        throw new AssertionError("no BytesRead");
    }

    /** Each open has a token of its own, and so a grant. */
    @Test
    void opens_manyTimesOver_giveTheOldestGrantsBack_andAreServed() throws Exception {
        Path file = cluster.write("granted-often", BYTES, 1);
        int datanode = pinnedOn(file);
        awaitGranted(file);
        byte[] expected = TerraceCluster.contents("granted-often", BYTES);
        int crowd = 64;
        int before = cluster.service(datanode).tier().usage().grants();
        long revoked = ClientMetrics.value(Metric.CLIENT_GRANTS_REVOKED);
        try (FSDataInputStream first = client.open(file)) {
            byte[] all = new byte[BYTES];
            first.readFully(0, all);
            for (int i = 0; i < 3 * crowd; i++) {
                try (FSDataInputStream in = client.open(file)) {
                    in.readFully(0, all);
                }
                assertThat(cluster.service(datanode).tier().usage().grants()).isLessThanOrEqualTo(before + 2 * crowd);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.service(datanode).tier().usage().grants() <= before + crowd);
            assertThat(ClientMetrics.value(Metric.CLIENT_GRANTS_REVOKED)).isGreaterThan(revoked);
            first.readFully(0, all);
            assertThat(all).as("whose grant was given back meanwhile").isEqualTo(expected);
        }
        awaitGranted(file);
    }

    @Test
    void append_whileGranted_revokesAndShowsTheNewBytes() throws Exception {
        Path file = cluster.write("granted-append", BYTES, 1);
        int datanode = pinnedOn(file);
        BlockKey before = cluster.key(file, 0);
        awaitGranted(file);
        byte[] more = TerraceCluster.contents("tail", 5000);
        try (FSDataInputStream open = client.open(file);
                FSDataOutputStream out = cluster.fs().append(file)) {
            open.readFully(0, new byte[100]);
            out.write(more);
            out.hsync();
            byte[] old = new byte[BYTES];
            open.readFully(0, old);
            assertThat(old).isEqualTo(TerraceCluster.contents("granted-append", BYTES));
        }
        assertThat(resident(datanode, before)).isFalse();
        byte[] now = all(file);
        assertThat(now).hasSize(BYTES + more.length).endsWith(more);
        Awaitility.await()
                .alias("the retired copy is freed once its holders let go")
                .atMost(Duration.ofSeconds(10))
                .until(() -> cluster.service(datanode).tier().usage().retiringBytes() == 0);
    }

    @Test
    void delete_whileGranted_leavesNoCopyBehind() throws Exception {
        Path file = cluster.write("granted-delete", BYTES, 1);
        int datanode = pinnedOn(file);
        BlockKey key = cluster.key(file, 0);
        awaitGranted(file);
        try (FSDataInputStream open = client.open(file)) {
            open.readFully(0, new byte[1000]);
            cluster.fs().delete(file, false);
            cluster.awaitGone(datanode, key);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> cluster.service(datanode).tier().usage().retiringBytes() == 0);
    }

    @Test
    void token_forgedExpiredOrOfAnotherBlock_isDenied() throws Exception {
        Path file = cluster.write("token", 1000, 2);
        Path other = cluster.write("token-other", 1000, 2);
        BlockKey key = cluster.key(file, 0);
        BlockTokens tokens = new BlockTokens(cluster.datanode(0));
        Token<BlockTokenIdentifier> good = cluster.located(file, 0).getBlockToken();
        assertThat(tokens.check(key, bytes(good)).validMs())
                .isBetween(1L, Duration.ofDays(1).toMillis());

        byte[] password = good.getPassword().clone();
        password[3] ^= 1;
        Token<BlockTokenIdentifier> forged =
                new Token<>(good.getIdentifier(), password, good.getKind(), good.getService());
        denied(tokens, key, bytes(forged), RefusalReason.BAD_TOKEN);
        denied(tokens, key, bytes(cluster.located(other, 0).getBlockToken()), RefusalReason.BAD_TOKEN);
        denied(tokens, key, new byte[0], RefusalReason.BAD_TOKEN);
        denied(tokens, key, bytes(new Token<>()), RefusalReason.BAD_TOKEN);
        denied(tokens, key, new byte[] {127, -1, -1, -1, -1, -1, -1, -1}, RefusalReason.BAD_TOKEN);
        denied(
                tokens,
                new BlockKey("BP-of-nobody", key.blockId(), key.generationStamp()),
                bytes(good),
                RefusalReason.OFF);

        BlockTokenSecretManager secrets =
                cluster.cluster().getNamesystem().getBlockManager().getBlockTokenSecretManager();
        secrets.setTokenLifetime(1);
        Token<BlockTokenIdentifier> expired = cluster.located(file, 0).getBlockToken();
        secrets.setTokenLifetime(Duration.ofHours(10).toMillis());
        Awaitility.await()
                .pollDelay(Duration.ofMillis(20))
                .untilAsserted(() -> denied(tokens, key, bytes(expired), RefusalReason.EXPIRED_TOKEN));
    }

    private static void denied(BlockTokens tokens, BlockKey key, byte[] token, RefusalReason reason) {
        assertThatThrownBy(() -> tokens.check(key, token))
                .isInstanceOfSatisfying(TokenVerifier.Denied.class, denied -> assertThat(denied.reason())
                        .isEqualTo(reason));
    }

    private static byte[] bytes(Token<?> token) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        token.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }
}
