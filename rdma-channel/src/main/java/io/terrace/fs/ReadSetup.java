package io.terrace.fs;

import io.terrace.client.ClientConfig;
import io.terrace.client.ClientMetrics;
import io.terrace.client.LocalAccess;
import io.terrace.client.read.ReadRouter;
import io.terrace.client.read.ReplicaOrder;
import io.terrace.client.remote.RemoteDataNodes;
import io.terrace.common.LogThrottle;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the reads of one file system are wired.
 *
 * @param readConf the configuration of its readers of blocks: as given, without the replica accessor that does the same
 * @param remote the memory of other hosts; null when it is not used
 */
record ReadSetup(Configuration readConf, ReadRouter readRouter, @Nullable RemoteDataNodes remote) {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSetup.class);
    private static final String ACCESSOR = "io.terrace.client.TerraceAccessorBuilder";

    /** The NameNode's, which prefers DataNodes that it heard of within it. */
    private static final String STALE_INTERVAL = "dfs.namenode.stale.datanode.interval";

    private static final long STALE_INTERVAL_MS = 30_000;
    private static final LogThrottle NOT_LINKED = LogThrottle.once();

    /** Null when the file system is to be stock HDFS. */
    static @Nullable ReadSetup of(Configuration conf) {
        try {
            if (!TerraceSettings.ENABLED.get(conf) || readsThroughOthers(conf)) {
                ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_OFF);
                return null;
            }
            ClientConfig settings = ClientConfig.from(conf);
            RemoteDataNodes remote = remote(conf, settings.remote());
            LocalAccess local = settings.localReads() ? LocalAccess.of(conf) : null;
            ReplicaOrder order = new ReplicaOrder(
                    settings.replicasByType(),
                    conf.getLong(STALE_INTERVAL, STALE_INTERVAL_MS),
                    ClientMetrics.metricRegistry());
            ReadRouter router = new ReadRouter(local, remote, order, ClientMetrics.metricRegistry());
            return new ReadSetup(withoutAccessor(conf), router, remote);
        } catch (IllegalArgumentException e) {
            LOG.error("Reads through stock HDFS only: {}", e.getMessage());
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_SETTINGS);
            return null;
        }
    }

    private static @Nullable RemoteDataNodes remote(Configuration conf, ClientConfig.Remote settings) {
        if (settings.portOffset() == 0) {
            return null;
        }
        if (isProtected(conf)) {
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_REMOTE_ENCRYPTED);
            return null;
        }
        return RemoteDataNodes.of(settings, ClientMetrics.metricRegistry());
    }

    /** The tcp channel neither encrypts nor signs; the DataNode looks at the same keys. */
    static boolean isProtected(Configuration conf) {
        return conf.getBoolean("dfs.encrypt.data.transfer", false)
                || !conf.getTrimmed(HdfsClientConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY, "")
                        .isEmpty();
    }

    /** Counts, and says once per process, that Hadoop's classes here are not those that the bridges were made for. */
    static void notLinked(LinkageError e) {
        ClientMetrics.metricRegistry().increment(Metric.CLIENT_FS_NOT_LINKED);
        if (NOT_LINKED.first()) {
            LOG.warn("Terrace does not fit the Hadoop classes found here; hdfs:// is stock HDFS", e);
        }
    }

    /** A client that names replica accessors, and not ours as the first, wants them asked before anybody else. */
    private static boolean readsThroughOthers(Configuration conf) {
        String[] accessors = conf.getTrimmedStrings(HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY);
        return accessors.length > 0 && !accessors[0].equals(ACCESSOR);
    }

    private static Configuration withoutAccessor(Configuration conf) {
        String key = HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY;
        List<String> others = new ArrayList<>(conf.getTrimmedStringCollection(key));
        if (!others.remove(ACCESSOR)) {
            return conf;
        }
        Configuration copy = new Configuration(conf);
        copy.setStrings(key, others.toArray(String[]::new));
        return copy;
    }
}
