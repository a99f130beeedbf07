package io.terrace.fs;

import io.terrace.client.remote.RemoteDataNodes;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.TerraceHdfs;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/**
 * HDFS for FileContext whose reads look for a copy in memory first: {@code fs.AbstractFileSystem.hdfs.impl}. What {@link
 * TerraceFileSystem} is for FileSystem, and stock HDFS under the same conditions.
 */
public final class TerraceAbstractFileSystem extends FilterFs {
    static final String IMPLEMENTATION_KEY = "fs.AbstractFileSystem.hdfs.impl";
    private static final String STOCK = "org.apache.hadoop.fs.Hdfs";

    private final @Nullable CachedHosts cachedHosts;

    /** What is opened, and what adds to its locations; null for stock HDFS. */
    private record Opened(AbstractFileSystem fs, @Nullable CachedHosts cachedHosts) {}

    /** The signature that Hadoop looks for. */
    public TerraceAbstractFileSystem(URI uri, Configuration conf) throws IOException, URISyntaxException {
        this(open(uri, conf));
    }

    private TerraceAbstractFileSystem(Opened opened) throws URISyntaxException {
        super(opened.fs());
        this.cachedHosts = opened.cachedHosts();
    }

    private static Opened open(URI uri, Configuration conf) throws IOException, URISyntaxException {
        @Nullable ReadSetup setup = ReadSetup.of(conf);
        if (setup != null) {
            try {
                RemoteDataNodes remote = setup.remote();
                WriteSetup write = WriteSetup.of(setup.readConf());
                return new Opened(
                        new TerraceHdfs(uri, conf, write.conf(), setup.readRouter(), write.writes()),
                        remote == null ? null : new CachedHosts(remote));
            } catch (LinkageError e) {
                ReadSetup.notLinked(e);
            }
        }
        Configuration stock = new Configuration(conf);
        stock.set(IMPLEMENTATION_KEY, STOCK);
        return new Opened(createFileSystem(uri, stock), null);
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
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
        RemoteIterator<LocatedFileStatus> listing = super.listLocatedStatus(path);
        CachedHosts hosts = cachedHosts;
        return hosts == null ? listing : RemoteIterators.mappingRemoteIterator(listing, hosts::addTo);
    }

    /** In pages, as stock; FilterFs would collect the whole directory. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return getMyFs().listStatusIterator(path);
    }
}
