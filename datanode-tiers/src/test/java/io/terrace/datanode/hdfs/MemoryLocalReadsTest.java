package io.terrace.datanode.hdfs;

import static java.util.Objects.requireNonNull;

import io.terrace.channel.Grant;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.grant.TierGrantService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;

/** Clients of this host are granted copies in memory. */
@Tag("cluster")
class MemoryLocalReadsTest extends LocalReadContract {

    @Override
    TerraceCluster start(Configuration conf) throws IOException {
        return TerraceCluster.start(1, conf);
    }

    @Override
    StorageTier tier() {
        return StorageTier.MEMORY;
    }

    @Override
    TierGrantService grantService() {
        return requireNonNull(cluster.service(0).grants()).ofMemory();
    }

    @Override
    void offer(org.apache.hadoop.fs.Path file) throws Exception {
        long bytes = cluster.fs().getFileStatus(file).getLen();
        for (int i = 0; i * (long) TerraceCluster.BLOCK_BYTES < bytes; i++) {
            cluster.promote(
                    0, cluster.key(file, i), cluster.located(file, i).getBlock().getNumBytes());
        }
    }

    @Override
    boolean keeps(BlockKey key) throws IOException {
        try (Stream<Path> files = Files.walk(cluster.memoryDir(0).resolve("extents"))) {
            return files.anyMatch(file -> file.getFileName()
                    .toString()
                    .startsWith("blk_" + key.blockId() + "_" + key.generationStamp() + "_"));
        }
    }

    @Override
    Path link(Grant grant) {
        return cluster.memoryDir(0).resolve("links").resolve(grant.linkName());
    }
}
