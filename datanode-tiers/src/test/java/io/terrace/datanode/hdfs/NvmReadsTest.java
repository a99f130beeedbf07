package io.terrace.datanode.hdfs;

import static java.util.Objects.requireNonNull;
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
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Replicas on a volume tagged NVDIMM, read from another host's point of view: over tcp, with block tokens, as they are,
 * without a copy in memory.
 */
@Tag("cluster")
class NvmReadsTest {

    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;
    private static final int BLOCKS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Peer HOLDER = new Peer(77, "somebody", "", false, "test");

    private static TerraceCluster cluster;
    private static OtherHostClient client;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.set("terrace.datanode.nvm.local.dir", "");
        cluster = TerraceCluster.start(1, conf, StorageType.NVDIMM, StorageType.DISK);
        cluster.fs().mkdirs(new Path("/nvm"));
        cluster.fs().setStoragePolicy(new Path("/nvm"), "ALL_NVDIMM");
        client = OtherHostClient.of(cluster, Duration.ofSeconds(5));
    }

    @AfterAll
    static void stop() throws IOException {
        client.close();
        cluster.close();
    }

    private static long figure(Metric metric) {
        return cluster.figure(0, metric);
    }

    /** The first reader comes by stock; the replicas are verified then, and the next readers are granted. */
    private static Path granted(String name, int bytes) throws IOException {
        Path file = cluster.write(name, bytes, 1);
        client.awaitGranted(file, bytes);
        return file;
    }

    private static java.nio.file.Path blockFile(Path file, int index) throws IOException {
        return cluster.cluster()
                .getBlockFile(0, cluster.located(file, index).getBlock())
                .toPath();
    }

    /** The links on the volume of this file. */
    private static List<java.nio.file.Path> links(Path file) throws IOException {
        URI volume = cluster.datanode(0)
                .getFSDataset()
                .getVolume(cluster.located(file, 0).getBlock())
                .getBaseURI();
        java.nio.file.Path extents = java.nio.file.Path.of(volume).resolve("terrace/extents");
        if (!Files.isDirectory(extents)) {
            return List.of();
        }
        try (Stream<java.nio.file.Path> files = Files.list(extents)) {
            return files.toList();
        }
    }

    private static boolean isLinked(java.nio.file.Path blockFile) throws IOException {
        return (int) Files.getAttribute(blockFile, "unix:nlink") > 1;
    }

    private static boolean hasLink(List<java.nio.file.Path> links, BlockKey key) {
        return links.stream().anyMatch(link -> link.getFileName()
                .toString()
                .startsWith("blk_" + key.blockId() + "_" + key.generationStamp() + "_"));
    }

    @Test
    void read_comesThroughGrants_ofTheReplicaItself_withoutACopyInMemory() throws Exception {
        Path file = granted("nvm/whole", BYTES);
        long remote = OtherHostClient.bytes();
        long remoteNvm = ClientMetrics.value(Metric.CLIENT_REMOTE_NVM_BYTES);
        long steppedDown = ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN);
        long stock = figure(Metric.READS_STOCK_REPLICA);
        long onNvm = figure(Metric.READS_GRANTED_NVM_BYTES);
        assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("nvm/whole", BYTES));
        assertThat(OtherHostClient.bytes() - remote).isGreaterThanOrEqualTo(BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_NVM_BYTES) - remoteNvm)
                .isGreaterThanOrEqualTo(BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN)).isEqualTo(steppedDown);
        assertThat(figure(Metric.READS_STOCK_REPLICA)).isEqualTo(stock);
        await().atMost(PATIENCE).until(() -> figure(Metric.READS_GRANTED_NVM_BYTES) - onNvm >= BYTES);
        assertThat(figure(Metric.NVM_EXTENTS)).isGreaterThanOrEqualTo(BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            // What heartbeats report as resident are the memory tier's live copies.
            assertThat(cluster.service(0).tier().isResident(cluster.key(file, i)))
                    .isFalse();
            assertThat(isLinked(blockFile(file, i))).isTrue();
        }
        assertThat(requireNonNull(cluster.service(0).nvm()).state())
                .singleElement()
                .satisfies(nvm -> {
                    assertThat(nvm.getTier()).isEqualTo(TierProto.NVM);
                    assertThat(nvm.getUsedBytes()).isBetween((long) BYTES, nvm.getCapacityBytes());
                    assertThat(nvm.getExtents()).isGreaterThanOrEqualTo(BLOCKS);
                });
    }

    @Test
    void positionalReads_giveTheFilesBytes() throws Exception {
        Path file = granted("nvm/positional", BYTES);
        byte[] contents = TerraceCluster.contents("nvm/positional", BYTES);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (FSDataInputStream in = client.fs().open(file)) {
            for (int i = 0; i < 200; i++) {
                byte[] buffer = new byte[1 + random.nextInt(i % 10 == 0 ? 1 << 20 : 10_000)];
                int at = random.nextInt(BYTES - buffer.length);
                in.readFully(at, buffer);
                assertThat(buffer)
                        .as("seed %d, %d bytes at %d", seed, buffer.length, at)
                        .isEqualTo(Arrays.copyOfRange(contents, at, at + buffer.length));
            }
        }
    }

    @Test
    void replicaOnDisk_isNotGranted() throws Exception {
        Path file = cluster.write("on disk", TerraceCluster.BLOCK_BYTES, 1);
        long verified = figure(Metric.NVM_VERIFIED);
        for (int i = 0; i < 3; i++) {
            assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("on disk", TerraceCluster.BLOCK_BYTES));
        }
        // Verified one after the other: had it been taken up, it would stand before this one.
        granted("nvm/after disk", 1000);
        assertThat(figure(Metric.NVM_VERIFIED)).isEqualTo(verified + 1);
        assertThat(isLinked(blockFile(file, 0))).isFalse();
    }

    /** Somebody who holds a grant and does not hear that it should give it back. */
    private static Grant hold(Path file) throws IOException {
        GrantRequest request = new GrantRequest(cluster.key(file, 0), token(file), false);
        return (Grant) requireNonNull(cluster.service(0).nvm()).grantService().grant(HOLDER, request);
    }

    private static void release(Grant grant) throws IOException {
        requireNonNull(cluster.service(0).nvm()).grantService().released(HOLDER, grant.grantId());
    }

    private static byte[] token(Path file) throws IOException {
        try (DataOutputBuffer out = new DataOutputBuffer()) {
            cluster.located(file, 0).getBlockToken().write(out);
            return Arrays.copyOf(out.getData(), out.getLength());
        }
    }

    @Test
    void append_leavesLeasedBytesWhole_andIsReadAfterwards() throws Exception {
        int bytes = 300_000;
        Path file = granted("nvm/appended", bytes);
        byte[] contents = TerraceCluster.contents("nvm/appended", bytes);
        BlockKey before = cluster.key(file, 0);
        Grant grant = hold(file);
        assertThat(grant.descriptor().tier()).isEqualTo(StorageTier.NVM);
        java.nio.file.Path leased = java.nio.file.Path.of(grant.linkName());
        try (FSDataInputStream open = client.fs().open(file)) {
            byte[] head = new byte[1000];
            open.readFully(head);
            try (FSDataOutputStream out = client.fs().append(file)) {
                out.write(TerraceCluster.contents("more", 1000));
            }
            assertThat(Files.readAllBytes(leased)).isEqualTo(contents);
            assertThat(open.readAllBytes()).isEqualTo(Arrays.copyOfRange(contents, 1000, bytes));
        }
        byte[] all = client.read(file);
        assertThat(all).hasSize(bytes + 1000).startsWith(contents).endsWith(TerraceCluster.contents("more", 1000));
        client.awaitGranted(file, bytes + 1000);
        assertThat(client.read(file)).isEqualTo(all);
        assertThat(Files.readAllBytes(leased)).isEqualTo(contents);
        assertThat(hasLink(links(file), before)).isTrue();
        Files.delete(leased);
        release(grant);
        await().atMost(PATIENCE).until(() -> !hasLink(links(file), before));
    }

    @Test
    void delete_leavesLeasedBytesWhole_untilTheGrantEnds() throws Exception {
        int bytes = 300_000;
        Path file = granted("nvm/deleted while leased", bytes);
        Path other = granted("nvm/stays too", 1000);
        BlockKey key = cluster.key(file, 0);
        java.nio.file.Path replica = blockFile(file, 0);
        Grant grant = hold(file);
        java.nio.file.Path leased = java.nio.file.Path.of(grant.linkName());
        cluster.fs().delete(file, false);
        await().atMost(PATIENCE).until(() -> !Files.exists(replica));
        assertThat(Files.readAllBytes(leased)).isEqualTo(TerraceCluster.contents("nvm/deleted while leased", bytes));
        assertThat(hasLink(links(other), key)).isTrue();
        Files.delete(leased);
        release(grant);
        await().atMost(PATIENCE).until(() -> !hasLink(links(other), key));
    }

    @Test
    void truncate_isReadAtItsNewLength() throws Exception {
        int bytes = 300_000;
        Path file = granted("nvm/truncated", bytes);
        int shorter = 100_001;
        if (!((DistributedFileSystem) client.fs()).truncate(file, shorter)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> cluster.fs().isFileClosed(file));
        }
        byte[] expected = Arrays.copyOf(TerraceCluster.contents("nvm/truncated", bytes), shorter);
        assertThat(client.read(file)).isEqualTo(expected);
        client.awaitGranted(file, shorter);
        assertThat(client.read(file)).isEqualTo(expected);
    }

    @Test
    void delete_endsTheExtents_andNoLinkKeepsTheirRoom() throws Exception {
        Path file = granted("nvm/deleted", BYTES);
        Path other = granted("nvm/stays", 1000);
        List<BlockKey> keys = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            keys.add(cluster.key(file, i));
        }
        byte[] contents = TerraceCluster.contents("nvm/deleted", BYTES);
        try (FSDataInputStream in = client.fs().open(file)) {
            byte[] head = new byte[1000];
            in.readFully(0, head);
            assertThat(cluster.fs().delete(file, false)).isTrue();
            try {
                byte[] more = new byte[1000];
                in.readFully(1000, more);
                assertThat(more).isEqualTo(Arrays.copyOfRange(contents, 1000, 2000));
            } catch (IOException e) {
                // As on stock: the block is gone.
                assertThat(e.toString()).contains("blk_");
            }
        }
        await().atMost(PATIENCE).until(() -> keys.stream().noneMatch(key -> {
            try {
                return hasLink(links(other), key);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    @Test
    void corruptReplica_isNeverGranted_andReported() throws Exception {
        Path file = cluster.write("nvm/corrupt", TerraceCluster.BLOCK_BYTES, 1);
        try (FileChannel bytes = FileChannel.open(blockFile(file, 0), StandardOpenOption.WRITE)) {
            bytes.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 700_000);
        }
        long corrupt = figure(Metric.NVM_REPLICAS_CORRUPT);
        byte[] head = new byte[1000];
        byte[] expected =
                Arrays.copyOf(TerraceCluster.contents("nvm/corrupt", TerraceCluster.BLOCK_BYTES), head.length);
        for (int i = 0; i < 20; i++) {
            try (FSDataInputStream in = client.fs().open(file)) {
                in.readFully(0, head);
                assertThat(head).isEqualTo(expected);
            }
            if (i == 0) {
                await().atMost(PATIENCE).until(() -> figure(Metric.NVM_REPLICAS_CORRUPT) > corrupt);
            }
        }
        assertThat(hasLink(links(file), cluster.key(file, 0))).isFalse();
        // Once, not with every reader.
        assertThat(figure(Metric.NVM_REPLICAS_CORRUPT)).isEqualTo(corrupt + 1);
        await().atMost(PATIENCE).until(() -> cluster.cluster().getNamesystem().getCorruptReplicaBlocks() > 0);
        cluster.fs().delete(file, false);
    }

    @Test
    void memoryCopy_goesFirst_andTheLinkGoes() throws Exception {
        Path file = granted("nvm/promoted", TerraceCluster.BLOCK_BYTES);
        BlockKey key = cluster.key(file, 0);
        cluster.promote(0, key, TerraceCluster.BLOCK_BYTES);
        await().atMost(PATIENCE).until(() -> !hasLink(links(file), key));
        long fromMemory = grantedFromMemory();
        client.awaitGranted(file, TerraceCluster.BLOCK_BYTES);
        long onNvm = ClientMetrics.value(Metric.CLIENT_REMOTE_NVM_BYTES);
        assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("nvm/promoted", TerraceCluster.BLOCK_BYTES));
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_NVM_BYTES)).isEqualTo(onNvm);
        await().atMost(PATIENCE).until(() -> grantedFromMemory() - fromMemory >= TerraceCluster.BLOCK_BYTES);
        assertThat(hasLink(links(file), key)).isFalse();
    }

    private static long grantedFromMemory() {
        return figure(Metric.READS_GRANTED_BYTES) - figure(Metric.READS_GRANTED_NVM_BYTES);
    }

    @Test
    void withoutItsToken_itIsRefused() throws Exception {
        Path file = granted("nvm/secret", 1000);
        NvmService nvm = requireNonNull(cluster.service(0).nvm());
        GrantRequest forged = new GrantRequest(cluster.key(file, 0), new byte[] {0, 0, 0, 0}, false);
        assertThat(nvm.grantService().grant(HOLDER, forged))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.BAD_TOKEN));
    }

    @Test
    void off_takesTheExtentsOut_andOnBringsThemBack() throws Exception {
        Path file = granted("nvm/switched", TerraceCluster.BLOCK_BYTES);
        BlockKey key = cluster.key(file, 0);
        cluster.service(0).tier().serve(key.pool(), false, System.nanoTime());
        try {
            await().atMost(PATIENCE).until(() -> !hasLink(links(file), key));
            long before = OtherHostClient.bytes();
            for (int i = 0; i < 5; i++) {
                assertThat(client.read(file))
                        .isEqualTo(TerraceCluster.contents("nvm/switched", TerraceCluster.BLOCK_BYTES));
            }
            assertThat(OtherHostClient.bytes()).isEqualTo(before);
        } finally {
            cluster.service(0).tier().serve(key.pool(), true, System.nanoTime());
        }
        client.awaitGranted(file, TerraceCluster.BLOCK_BYTES);
    }

    @Test
    void leftovers_ofAnEarlierProcess_areRemovedAtStart() throws Exception {
        Path file = granted("nvm/left", 1000);
        java.nio.file.Path extents = requireNonNull(links(file).get(0).getParent());
        cluster.stopPlugin(0);
        assertThat(links(file)).isEmpty();
        Files.createLink(extents.resolve("blk_1_1_1"), blockFile(file, 0));
        cluster.startPlugin(0);
        assertThat(links(file)).isEmpty();
        assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("nvm/left", 1000));
        client.awaitGranted(file, 1000);
    }
}
