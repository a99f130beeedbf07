package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.UnexpectedReplicaStateException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers of a replica that is moved between volumes, and moves that the process does not survive. */
@Tag("cluster")
class VolumeMoveReadersTest extends VolumeMoveFixture {

    /** Seeded: readers of all kinds while a file is moved, appended to and moved by stock. */
    @Test
    void readers_seeNoErrorAndNoWrongByte_whileReplicasMove() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String name = "readers";
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/" + name);
        byte[] contents = TerraceCluster.contents(name, TerraceCluster.BLOCK_BYTES);
        int[] length = {500_000};
        try (FSDataOutputStream out = cluster.fs().create(file, (short) 1)) {
            out.write(contents, 0, length[0]);
        }
        AtomicBoolean over = new AtomicBoolean();
        int[] reads = {0, 0, 0, 0};
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (FileSystem granted = cluster.grantedClient();
                FileSystem memoryFirst = cluster.memoryFirstClient()) {
            List<Future<?>> readers = List.of(
                    threads.submit(() -> read(null, file, contents, over, reads, 0, seed)),
                    threads.submit(() -> read(granted, file, contents, over, reads, 1, seed)),
                    threads.submit(() -> read(memoryFirst, file, contents, over, reads, 2, seed)),
                    threads.submit(
                            () -> passDescriptors(volumes.version(file, 0).key(), contents, over, reads)));
            for (int i = 0; i < 120 && readers.stream().noneMatch(Future::isDone); i++) {
                BlockVersion block = volumes.version(file, 0);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        try (FSDataOutputStream out = cluster.fs().append(file)) {
                            out.write(contents, length[0], 1000);
                        }
                        length[0] += 1000;
                    }
                    case 1 -> volumes.dataset()
                            .moveBlockAcrossStorage(cluster.located(file, 0).getBlock(), other(block, random), null);
                    case 2 -> cluster.promote(0, block.key(), block.lengthBytes());
                    case 3 -> cluster.service(0).tier().drop(block.key(), RetireCause.ORDERED, System.nanoTime());
                    default -> {
                        MoveResult result = volumes.move(block, StorageTier.values()[1 + random.nextInt(4)]);
                        assertThat(result.outcome())
                                .as("%s, seed %d", result, seed)
                                .isEqualTo(MoveOutcome.DONE);
                    }
                }
            }
            over.set(true);
            for (Future<?> reader : readers) {
                reader.get(60, TimeUnit.SECONDS);
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        assertThat(Arrays.stream(reads).min().orElseThrow()).as("seed %d", seed).isGreaterThan(10);
        assertThat(volumes.files(cluster.key(file, 0).blockId()))
                .as("seed %d", seed)
                .hasSize(2);
    }

    private static StorageType other(BlockVersion block, Random random) throws IOException {
        StorageType now = volumes.dataset()
                .getVolume(new ExtendedBlock(
                        block.key().pool(),
                        block.key().blockId(),
                        0,
                        block.key().generationStamp()))
                .getStorageType();
        StorageType other;
        do {
            other = TieredVolumes.TYPES[random.nextInt(TieredVolumes.TYPES.length)];
        } while (other == now);
        return other;
    }

    private static void read(
            @Nullable FileSystem given,
            org.apache.hadoop.fs.Path file,
            byte[] contents,
            AtomicBoolean over,
            int[] reads,
            int reader,
            long seed) {
        Random random = new Random(seed + reader);
        byte[] buffer = new byte[30_000];
        try {
            FileSystem fs = given == null ? cluster.fs() : given;
            while (!over.get()) {
                try (FSDataInputStream in = fs.open(file)) {
                    for (int i = 0; i < 3; i++) {
                        int bytes = 1 + random.nextInt(buffer.length);
                        int offset = random.nextInt(500_000 - bytes);
                        in.readFully(offset, buffer, 0, bytes);
                        if (!Arrays.equals(buffer, 0, bytes, contents, offset, offset + bytes)) {
                            throw new AssertionError("wrong bytes at " + offset + ", seed " + seed);
                        }
                        reads[reader]++;
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError("reader " + reader + ", seed " + seed, e);
        }
    }

    /** Opens both files as the DataNode does for a short-circuit reader, which then reads them by itself. */
    private static Void passDescriptors(BlockKey key, byte[] contents, AtomicBoolean over, int[] reads)
            throws IOException {
        byte[] buffer = new byte[500_000];
        while (!over.get()) {
            ReplicaInfo replica = (ReplicaInfo) volumes.dataset().getReplica(key.pool(), key.blockId());
            ExtendedBlock block = new ExtendedBlock(key.pool(), new Block(replica));
            try (InputStream data = volumes.dataset().getBlockInputStream(block, 0);
                    InputStream meta = volumes.dataset().getMetaDataInputStream(block)) {
                if (meta == null) {
                    throw new FileNotFoundException("no checksums of " + block);
                }
                volumes.dataset().checkBlock(block, 500_000, ReplicaState.FINALIZED);
                data.readNBytes(buffer, 0, buffer.length);
                assertThat(Arrays.equals(buffer, 0, buffer.length, contents, 0, buffer.length))
                        .isTrue();
                reads[3]++;
            } catch (UnexpectedReplicaStateException e) {
                // It is appended to, and the look was at what the append will make.
            } catch (IOException e) {
                // An append since the look gave it another stamp, and only then may it not be found.
                if (volumes.dataset().isValidBlock(block)) {
                    throw e;
                }
            }
        }
        return null;
    }

    /** The process ends when the new copy is published and the old one is there. */
    @Test
    void crashBetweenPublishAndRemoval_leavesTwoWholeCopies_ofWhichStockKeepsOne() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("crash", BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        volumes.mover().onStep(step -> {
            if (step == MoveStep.PUBLISHED) {
                throw new InternalError("the process ends");
            }
        });
        CompletableFuture<MoveResult> died = CompletableFuture.supplyAsync(() -> volumes.move(block, StorageTier.SSD));
        assertThat(died).failsWithin(Duration.ofSeconds(30));
        List<Path> files = volumes.files(block.key().blockId());
        assertThat(files).hasSize(4);
        byte[] contents = TerraceCluster.contents("crash", BYTES);
        for (Path data : files.stream()
                .filter(path -> !path.toString().endsWith(".meta"))
                .toList()) {
            assertThat(Files.readAllBytes(data)).isEqualTo(contents);
        }
        cluster.stopPlugin(0);
        MiniDFSCluster.DataNodeProperties stopped = cluster.cluster().stopDataNode(0);
        forgetReplicas();
        cluster.cluster().restartDataNode(stopped, true);
        cluster.cluster().waitActive();
        cluster.startPlugin(0);
        // The NameNode still knew the DataNode, so nobody has waited until it has looked through its volumes.
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(volumes.files(block.key().blockId())).hasSize(2));
        assertThat(cluster.read(file)).isEqualTo(contents);
        assertThat(volumes.move(block, StorageTier.NVM).outcome()).isEqualTo(MoveOutcome.DONE);
        volumes.awaitReported(file, StorageTier.NVM);
        assertThat(cluster.read(file)).isEqualTo(contents);
    }

    /** An orderly end writes down which replicas each volume has; a crash does not. */
    private static void forgetReplicas() throws IOException {
        try (Stream<Path> files = Files.walk(cluster.scratch().resolve("dfs"))) {
            for (Path file : files.filter(path -> path.endsWith("replicas")).toList()) {
                Files.delete(file);
            }
        }
    }
}
