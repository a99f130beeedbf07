package io.terrace.client;

import io.terrace.conf.TerraceSettings;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/**
 * What a client is told of reading from other hosts. {@link TerraceSettings} documents each key.
 *
 * @param portOffset from a DataNode's transfer port to its tcp channel; 0 when this part is off
 * @param verbs whether RDMA is used where a DataNode offers it
 * @param verbsLibdisni whether DiSNI's own native library is used for it
 * @param byCost whether stock HDFS is preferred where it has lately been cheaper
 * @param connectionsMax to one DataNode
 */
public record RemoteConfig(
        int portOffset,
        boolean verbs,
        boolean verbsLibdisni,
        boolean byCost,
        long timeoutNs,
        long connectTimeoutNs,
        int nodesMax,
        int connectionsMax,
        long readAheadMaxBytes,
        boolean byHostname) {
    /** Whoever is slower than 10 MB/s is as good as silent. */
    private static final long LONGEST_NS_PER_BYTE = 100;

    private static final String BY_HOSTNAME = "dfs.client.use.datanode.hostname";

    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException naming the key that is wrong and what to write instead
     */
    public static RemoteConfig from(Configuration conf) {
        return new RemoteConfig(
                (int) number(conf, TerraceSettings.CHANNEL_TCP_PORT_OFFSET, -65_535, 65_535),
                number(conf, TerraceSettings.CHANNEL_VERBS_PORT_OFFSET, -65_535, 65_535) != 0,
                conf.getBoolean(TerraceSettings.CHANNEL_VERBS_LIBDISNI.key(), false),
                byCost(conf),
                nanoseconds(conf, TerraceSettings.CLIENT_TCP_TIMEOUT),
                nanoseconds(conf, TerraceSettings.CLIENT_TCP_CONNECT_TIMEOUT),
                (int) number(conf, TerraceSettings.CLIENT_TCP_NODES_MAX, 1, 65_536),
                (int) number(conf, TerraceSettings.CLIENT_TCP_CONNECTIONS_MAX, 1, 64),
                number(conf, TerraceSettings.CLIENT_TCP_READAHEAD_MAX, 0, Long.MAX_VALUE),
                conf.getBoolean(BY_HOSTNAME, false));
    }

    /** How long a read of so many bytes may take. */
    public long timeoutNs(int bytes) {
        return timeoutNs + bytes * LONGEST_NS_PER_BYTE;
    }

    private static boolean byCost(Configuration conf) {
        TerraceSettings key = TerraceSettings.CLIENT_REMOTE_CHOICE;
        String value = conf.getTrimmed(key.key(), key.defaultValue());
        return switch (value) {
            case "cost" -> true;
            case "memory" -> false;
            default -> throw new IllegalArgumentException(key.key() + " is " + value + "; write cost or memory");
        };
    }

    private static long number(Configuration conf, TerraceSettings key, long least, long most) {
        String value = conf.getTrimmed(key.key(), key.defaultValue());
        try {
            long number = TraditionalBinaryPrefix.string2long(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    key.key() + " is " + value + "; write a number such as " + key.defaultValue(), e);
        }
        throw new IllegalArgumentException(key.key() + " is " + value + "; write " + least + " to " + most);
    }

    private static long nanoseconds(Configuration conf, TerraceSettings key) {
        try {
            long ms = conf.getTimeDuration(key.key(), key.defaultValue(), TimeUnit.MILLISECONDS);
            if (ms >= 1) {
                return TimeUnit.MILLISECONDS.toNanos(ms);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    key.key() + " is " + conf.get(key.key()) + "; write a time such as " + key.defaultValue(), e);
        }
        throw new IllegalArgumentException(key.key() + " is " + conf.get(key.key()) + "; write at least 1ms");
    }
}
