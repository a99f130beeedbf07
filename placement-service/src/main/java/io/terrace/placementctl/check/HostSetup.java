package io.terrace.placementctl.check;

import io.terrace.client.TerraceAccessorBuilder;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;

/** Whether this host's configuration lets a client read from memory at all. */
final class HostSetup {

    private HostSetup() {}

    /**
     * Why nothing can be read from memory here; null when it can.
     *
     * @param opened what the client counted while the file system was made
     */
    static @Nullable Cause obstacle(Configuration conf, FileSystem fs, ReadCounts opened) {
        if (!TerraceSettings.ENABLED.get(conf)) {
            return new Cause("terrace.enabled is false on this host", "remove it, or set it to true");
        }
        List<String> accessors =
                List.of(conf.getTrimmedStrings(HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY));
        boolean accessor = accessors.contains(TerraceAccessorBuilder.class.getName());
        if (!(fs instanceof TerraceFileSystem terrace)) {
            return accessor
                    ? channel(conf, false)
                    : new Cause(
                            "this host's configuration does not name Terrace's client",
                            "add " + TerraceAccessorBuilder.class.getName() + " to "
                                    + HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY
                                    + " in the client's hdfs-site.xml");
        }
        if (terrace.readsMemoryFirst()) {
            return channel(conf, true);
        }
        Cause counted = opened.cause();
        return counted != null
                ? counted
                : new Cause(
                        HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY + " names " + accessors
                                + ", and Terrace leaves all reads to what stands there first",
                        "remove it, or put " + TerraceAccessorBuilder.class.getName() + " first");
    }

    private static @Nullable Cause channel(Configuration conf, boolean remote) {
        if (TerraceSettings.CHANNEL_DIR.orNull(conf) != null
                || (remote && TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf) != 0)) {
            return null;
        }
        return new Cause(
                "terrace.channel.dir is not set on this host"
                        + (remote ? ", and terrace.channel.tcp.port.offset is 0" : ""),
                "on a DataNode's host set terrace.channel.dir as the DataNode has it"
                        + (remote ? "; elsewhere set terrace.channel.tcp.port.offset" : ""));
    }

    /** Whether the memory of other hosts is looked at. */
    static boolean readsOtherHosts(Configuration conf, FileSystem fs) {
        return fs instanceof TerraceFileSystem && TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf) != 0;
    }
}
