package io.terrace.fs;

import io.terrace.client.remote.RemoteDataNodes;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.TerraceDfsClient;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose reads look for a copy in memory first, and which writes over the DataNodes' channel where that is on: {@code
 * fs.hdfs.impl}.
 *
 * <p>Everything else is inherited: erasure coding, encryption zones, snapshots, append, hedged reads. With {@code
 * terrace.enabled} false, with a setting that is refused, or where Hadoop's own classes are another release's or another
 * class loader's, it is stock HDFS; {@link #readsMemoryFirst} says which.
 */
public final class TerraceFileSystem extends DistributedFileSystem {
    private boolean readsMemoryFirst;
    private @Nullable CachedHosts cachedHosts;
    private @Nullable RemoteDataNodes remoteDataNodes;

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
        super.initialize(uri, conf);
        @Nullable ReadSetup setup = ReadSetup.of(conf);
        if (setup == null) {
            return;
        }
        try {
            WriteSetup write = WriteSetup.of(setup.readConf());
            new TerraceDfsClient(uri, conf, write.conf(), statistics, setup.readRouter(), write.writes())
                    .replaceClientOf(this);
            readsMemoryFirst = true;
            RemoteDataNodes remote = setup.remote();
            remoteDataNodes = remote;
            cachedHosts = remote == null ? null : new CachedHosts(remote);
        } catch (LinkageError e) {
            ReadSetup.notLinked(e);
        }
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    public BlockLocation[] getFileBlockLocations(Path path, long start, long length) throws IOException {
        BlockLocation[] locations = super.getFileBlockLocations(path, start, length);
        CachedHosts hosts = cachedHosts;
        return hosts == null || locations == null ? locations : hosts.addTo(locations);
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        RemoteIterator<LocatedFileStatus> listing = super.listLocatedStatus(path, filter);
        CachedHosts hosts = cachedHosts;
        return hosts == null ? listing : RemoteIterators.mappingRemoteIterator(listing, hosts::addTo);
    }

    /** As stock; what was read is told, since the process may end next. */
    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            RemoteDataNodes remote = remoteDataNodes;
            if (remote != null) {
                remote.report();
            }
        }
    }

    /** Whether reads look for memory first, or this is stock HDFS. */
    public boolean readsMemoryFirst() {
        return readsMemoryFirst;
    }
}
