package io.terrace.fs;

import io.terrace.client.ClientConfig;
import io.terrace.client.ClientMetrics;
import io.terrace.client.write.WriteClient;
import io.terrace.common.LogThrottle;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.TerraceDfsClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the writes of one file system are wired.
 *
 * @param conf of its client
 * @param writes null when stock HDFS writes all files
 */
record WriteSetup(Configuration conf, @Nullable WriteClient writes) {
    /** A DataNode's report of a block takes about this long; stock asks the NameNode again after 400 ms. */
    private static final int FIRST_DELAY_MS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(WriteSetup.class);
    private static final LogThrottle OLDER = LogThrottle.once();

    /** @param conf that {@link ReadSetup} found right */
    static WriteSetup of(Configuration conf) {
        ClientConfig settings = ClientConfig.from(conf);
        if (!settings.write().enabled()) {
            return new WriteSetup(conf, null);
        }
        // Over the Unix socket too: what stock would not send unprotected, this does not.
        if (ReadSetup.isProtected(conf)) {
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_WRITE_FALLBACK_PROTECTED);
            return new WriteSetup(conf, null);
        }
        if (!TerraceDfsClient.canReplaceStreamer()) {
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_WRITE_FALLBACK_HADOOP);
            if (OLDER.first()) {
                LOG.warn(
                        "{} needs a client of Hadoop 3.5: stock HDFS writes all files",
                        TerraceSettings.CLIENT_WRITE_ENABLED.key());
            }
            return new WriteSetup(conf, null);
        }
        return new WriteSetup(withShortDelays(conf), WriteClient.of(settings, ClientMetrics.metricRegistry()));
    }

    /**
     * The next block, and a file's end, are asked for again soon when the NameNode does not know the last block yet, and as
     * long in all as the configuration says; for ever where it has a negative number of retries, as stock.
     */
    static Configuration withShortDelays(Configuration conf) {
        long delayMs = conf.getInt(
                BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY,
                BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_DEFAULT);
        long longestMs = conf.getInt(
                BlockWrite.LOCATEFOLLOWINGBLOCK_MAX_DELAY_MS_KEY, BlockWrite.LOCATEFOLLOWINGBLOCK_MAX_DELAY_MS_DEFAULT);
        // Without a longest delay to wait for, no number of tries takes as long.
        if (delayMs <= FIRST_DELAY_MS || longestMs <= 0) {
            return conf;
        }
        int retries = conf.getInt(
                BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_DEFAULT);
        long leftMs = 0;
        for (int i = 0; i < retries; i++) {
            leftMs += delayMs;
            delayMs = Math.min(2 * delayMs, longestMs);
        }
        int more = 0;
        for (long nextMs = FIRST_DELAY_MS; leftMs > 0; nextMs = Math.min(2 * nextMs, longestMs)) {
            leftMs -= nextMs;
            more++;
        }
        Configuration copy = new Configuration(conf);
        copy.setInt(BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, FIRST_DELAY_MS);
        if (retries >= 0) {
            copy.setInt(BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, more);
        }
        return copy;
    }
}
