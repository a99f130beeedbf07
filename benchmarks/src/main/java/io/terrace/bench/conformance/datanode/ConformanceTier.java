package io.terrace.bench.conformance.datanode;

import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.TierExtension;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * The memory tier as Hadoop's own tests need it: a directory for each DataNode, and copies made at once. Its keys are no
 * {@code terrace.*} settings: production has none of this.
 */
public final class ConformanceTier implements TierExtension {

    /** Whether blocks are copied when they are written and first read; false by default. */
    public static final String PROMOTE_AT_ONCE = "conformance.promote.at-once";

    /** Whether each DataNode has its own memory directory, for those that share a configuration; false by default. */
    private static final String DIR_PER_DATANODE = "conformance.memory.dir.per-datanode";

    @Override
    public Path memoryDir(Path configured, String datanodeUuid, Configuration conf) throws IOException {
        return conf.getBoolean(DIR_PER_DATANODE, false)
                ? Files.createDirectories(configured.resolve(datanodeUuid))
                : configured;
    }

    @Override
    public ReplicaSource copySource(ReplicaSource replicas, Configuration conf) {
        return promotesAtOnce(conf) ? new QuietSource(replicas) : replicas;
    }

    @Override
    public DatasetListener listener(
            DatasetListener listener, LocalTier tier, CopyQueue copyQueue, ReplicaSource replicas, Configuration conf) {
        return promotesAtOnce(conf) ? new EagerPromotion(listener, tier, copyQueue, replicas) : listener;
    }

    private static boolean promotesAtOnce(Configuration conf) {
        return conf.getBoolean(PROMOTE_AT_ONCE, false);
    }
}
