package io.terrace.client;

import io.terrace.channel.write.WriteThrough;
import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client. {@link TerraceSettings} documents each key.
 *
 * @param localReads whether the FileSystem class reads the memory of its own host through files
 * @param replicasByType whether it reads the faster of equally near replicas first
 */
public record ClientConfig(
        boolean enabled, boolean localReads, boolean replicasByType, Local local, Remote remote, Write write) {

    private static final String BY_HOSTNAME = "dfs.client.use.datanode.hostname";

    /**
     * Reads from DataNodes of the same host.
     *
     * @param channelDirectory null when there are none
     * @param owners users who may own it, beside root and the client's own
     * @param mappedMaxBytes mapped bytes in all
     * @param grantsMax grants, and so open files, at once
     */
    public record Local(
            @Nullable Path channelDirectory,
            Set<String> owners,
            long mappedMaxBytes,
            int grantsMax,
            long grantTimeoutMs,
            long grantIdleMs,
            long reportIntervalMs,
            long reportBytes,
            long refusedPauseMs,
            long connectPauseMs) {}

    /**
     * Reads from DataNodes of other hosts.
     *
     * @param portOffset from a DataNode's transfer port to its tcp channel; 0 when there are none
     * @param verbs whether RDMA is used where a DataNode offers it
     * @param verbsLibdisni whether DiSNI's own native library is used for it
     * @param byCost whether stock HDFS is preferred where it has lately been cheaper
     * @param connectionsMax to one DataNode
     * @param readAheadMaxBytes asked for ahead of their use by all sequential readers
     * @param byHostname whether DataNodes are connected to by name instead of by address
     */
    public record Remote(
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

        /** A DataNode that is slower than 10 MB/s counts as silent. */
        private static final long LONGEST_NS_PER_BYTE = 100;

        /** Beyond it, anybody may listen. */
        private static final int LAST_PRIVILEGED_PORT = 1023;

        private static final int LAST_PORT = 65_535;

        /**
         * Whether a DataNode may listen there. Where security is on, only a port that nobody but root can listen on proves that
         * it is the DataNode's: stock without SASL trusts nothing else either. A process may turn security on, or log in, after
         * its first file system, so this is asked each time.
         */
        public boolean trusts(int port) {
            return port >= 1 && port <= (UserGroupInformation.isSecurityEnabled() ? LAST_PRIVILEGED_PORT : LAST_PORT);
        }

        /** How long a read of so many bytes may take. */
        public long timeoutNs(int bytes) {
            return timeoutNs + bytes * LONGEST_NS_PER_BYTE;
        }
    }

    /**
     * Writes.
     *
     * @param enabled whether files are written over the channel
     * @param retainedMaxBytes memory of what is written and not acknowledged, of the process
     * @param pipelinesMax blocks of one file that are written at one time
     * @param firstExchangePercent of the pipelines that begin at another DataNode of theirs where that one is faster
     * @param closesEarly whether a file is closed once the NameNode accepts it, not when all DataNodes have all of it
     * @param through which files get copies in memory while they are written
     */
    public record Write(
            boolean enabled,
            long retainedMaxBytes,
            int pipelinesMax,
            int firstExchangePercent,
            boolean closesEarly,
            Through through) {}

    /**
     * Copies in memory that are filled while a file is written.
     *
     * @param asked of the DataNodes of each block
     * @param paths of the files, or of directories above them
     */
    public record Through(WriteThrough asked, List<String> paths) {
        /** What is asked for the file of this path. */
        public WriteThrough of(String path) {
            return paths.stream().anyMatch(above -> isBelow(path, above)) ? asked : WriteThrough.NONE;
        }

        private static boolean isBelow(String path, String above) {
            return path.equals(above) || path.startsWith(above.endsWith("/") ? above : above + "/");
        }
    }

    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException naming the key that is wrong and what to write instead
     */
    public static ClientConfig from(Configuration conf) {
        UnknownSettings.refuse(conf);
        boolean enabled = TerraceSettings.ENABLED.get(conf);
        return new ClientConfig(
                enabled,
                TerraceSettings.CLIENT_LOCAL.get(conf),
                TerraceSettings.CLIENT_REPLICA_ORDER.get(conf).equals("storage-type"),
                local(conf, enabled),
                remote(conf),
                new Write(
                        TerraceSettings.CLIENT_WRITE_ENABLED.get(conf),
                        TerraceSettings.CLIENT_WRITE_RETAINED.get(conf),
                        TerraceSettings.CLIENT_WRITE_PIPELINES.get(conf),
                        TerraceSettings.CLIENT_WRITE_FIRST_EXCHANGE.get(conf),
                        TerraceSettings.CLIENT_WRITE_CLOSE.get(conf).equals("minimal"),
                        through(conf)));
    }

    private static Through through(Configuration conf) {
        if (!TerraceSettings.CLIENT_WRITE_THROUGH.get(conf)) {
            return new Through(WriteThrough.NONE, List.of());
        }
        boolean all = TerraceSettings.CLIENT_WRITE_THROUGH_REPLICAS.get(conf).equals("all");
        String paths = TerraceSettings.CLIENT_WRITE_THROUGH_PATHS.get(conf);
        return new Through(
                all ? WriteThrough.ALL : WriteThrough.FIRST,
                List.copyOf(StringUtils.getTrimmedStringCollection(paths)));
    }

    private static Local local(Configuration conf, boolean enabled) {
        Path directory = TerraceSettings.CHANNEL_DIR.orNull(conf);
        return new Local(
                enabled ? directory : null,
                Set.copyOf(StringUtils.getTrimmedStringCollection(TerraceSettings.CHANNEL_OWNER.get(conf))),
                TerraceSettings.CLIENT_MAPPED_MAX.get(conf),
                TerraceSettings.CLIENT_GRANTS_MAX.get(conf),
                TerraceSettings.CLIENT_GRANT_TIMEOUT.get(conf),
                TerraceSettings.CLIENT_GRANT_IDLE.get(conf),
                TerraceSettings.CLIENT_REPORT_INTERVAL.get(conf),
                TerraceSettings.CLIENT_REPORT_BYTES.get(conf),
                TerraceSettings.CLIENT_REFUSED_PAUSE.get(conf),
                TerraceSettings.CLIENT_CONNECT_PAUSE.get(conf));
    }

    private static Remote remote(Configuration conf) {
        return new Remote(
                TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf),
                TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.get(conf) != 0,
                TerraceSettings.CHANNEL_VERBS_LIBDISNI.get(conf),
                TerraceSettings.CLIENT_REMOTE_CHOICE.get(conf).equals("cost"),
                TimeUnit.MILLISECONDS.toNanos(TerraceSettings.CLIENT_TCP_TIMEOUT.get(conf)),
                TimeUnit.MILLISECONDS.toNanos(TerraceSettings.CLIENT_TCP_CONNECT_TIMEOUT.get(conf)),
                TerraceSettings.CLIENT_TCP_NODES_MAX.get(conf),
                TerraceSettings.CLIENT_TCP_CONNECTIONS_MAX.get(conf),
                TerraceSettings.CLIENT_TCP_READAHEAD_MAX.get(conf),
                conf.getBoolean(BY_HOSTNAME, false));
    }
}
