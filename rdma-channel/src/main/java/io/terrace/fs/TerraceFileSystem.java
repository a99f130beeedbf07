package io.terrace.fs;

import io.terrace.compat.JvmFit;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.TerraceDistributedFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose reads look for a copy in memory first, and which writes over the DataNodes' channel where that is on: {@code
 * fs.hdfs.impl}.
 *
 * <p>Everything else is inherited: erasure coding, encryption zones, snapshots, append, hedged reads. With {@code
 * terrace.enabled} false, with a setting that is refused, or where Hadoop's own classes are another release's or another
 * class loader's, it is stock HDFS; {@link #readsMemoryFirst} says which. Compiled for Java 8: in a JVM that cannot load the
 * rest of Terrace it is stock HDFS too.
 */
public final class TerraceFileSystem extends TerraceDistributedFileSystem {
    private @Nullable MemoryClient memory;
    private boolean asked;

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
        super.initialize(uri, conf);
        if (!asked && JvmFit.ofClient() && MemoryClient.of(conf) != null) {
            MemoryClient.notLinked(new IllegalAccessError("another class loader has loaded Hadoop's client"));
        }
    }

    @Override
    protected @Nullable DFSClient newClient(URI nameNode, Configuration conf) throws IOException {
        asked = true;
        MemoryClient own = JvmFit.ofClient() ? MemoryClient.of(conf) : null;
        DFSClient client = own == null ? null : own.newClient(nameNode, conf, statistics);
        memory = client == null ? null : own;
        return client;
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    public BlockLocation[] getFileBlockLocations(Path path, long start, long length) throws IOException {
        BlockLocation[] locations = super.getFileBlockLocations(path, start, length);
        return memory == null || locations == null ? locations : memory.addHosts(locations);
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        RemoteIterator<LocatedFileStatus> listing = super.listLocatedStatus(path, filter);
        return memory == null ? listing : memory.addHosts(listing);
    }

    /** As stock; what was read is told, since the process may end next. */
    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            if (memory != null) {
                memory.report();
            }
        }
    }

    /** Whether reads look for memory first, or this is stock HDFS. */
    public boolean readsMemoryFirst() {
        return memory != null;
    }
}
