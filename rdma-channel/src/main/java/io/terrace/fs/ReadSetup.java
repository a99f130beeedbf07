package io.terrace.fs;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.protocol.SettingKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the reads of one file system are wired.
 *
 * @param clientConf the configuration of its HDFS client: as given, without the replica accessor that does the same
 */
record ReadSetup(Configuration clientConf, MemoryFirst memoryFirst) {
    private static final Logger LOG = LoggerFactory.getLogger(ReadSetup.class);
    private static final String ACCESSOR = "io.terrace.client.TerraceAccessorBuilder";
    private static final Figures FIGURES = new Figures();
    private static final AtomicBoolean SAID_NOT_LINKED = new AtomicBoolean();

    /** The figures of every Terrace file system of this process. */
    static Figures figures() {
        return FIGURES;
    }

    /** Null when the file system is to be stock HDFS. */
    static @Nullable ReadSetup of(Configuration conf) {
        if (!conf.getBoolean(SettingKeys.ENABLED.key(), true)) {
            FIGURES.increment(Figure.CLIENT_FALLBACK_OFF);
            return null;
        }
        return new ReadSetup(withoutAccessor(conf), new MemoryFirst(List.of(), FIGURES));
    }

    /** Counts, and says once per process, that Hadoop's classes here are not those that the bridges were made for. */
    static void notLinked(LinkageError e) {
        FIGURES.increment(Figure.CLIENT_FS_NOT_LINKED);
        if (SAID_NOT_LINKED.compareAndSet(false, true)) {
            LOG.warn("Terrace does not fit the Hadoop classes found here; hdfs:// is stock HDFS", e);
        }
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
