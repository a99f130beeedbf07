package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.apache.hadoop.conf.Configuration;

/**
 * Changes the memory tier of a DataNode for tests. {@link ServiceLoader} finds it on the class path; Terrace's jars bring
 * none. The runner of Hadoop's own tests does (bench.conformance). Each method answers what it is given unless overridden.
 */
public interface TierExtension {

    /** What a DataNode has in production. */
    TierExtension NONE = new TierExtension() {};

    /** The one on the class path, or {@link #NONE}. */
    static TierExtension find() {
        return ServiceLoader.load(TierExtension.class, TierExtension.class.getClassLoader())
                .findFirst()
                .orElse(NONE);
    }

    /** The directory for memory copies, in place of the configured one. */
    default Path memoryDir(Path configured, String datanodeUuid, Configuration conf) throws IOException {
        return configured;
    }

    /** The replicas from which copies are made. */
    default ReplicaSource copySource(ReplicaSource replicas, Configuration conf) {
        return replicas;
    }

    /** The listener of the dataset. */
    default DatasetListener listener(
            DatasetListener listener, LocalTier tier, CopyQueue copyQueue, ReplicaSource replicas, Configuration conf) {
        return listener;
    }
}
