package io.terrace.fs;

import io.terrace.client.remote.RemoteDataNodes;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.TerraceHdfs;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.TerraceDfsClient;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.jspecify.annotations.Nullable;

/**
 * What a file system of Terrace has and stock HDFS has not: a client that looks for memory first, and the hosts to schedule by.
 * Thread-safe.
 */
final class MemoryClient {
    private final ReadSetup read;
    private final @Nullable RemoteDataNodes remote;
    private final @Nullable CachedHosts cachedHosts;

    private MemoryClient(ReadSetup read) {
        this.read = read;
        this.remote = read.remote();
        this.cachedHosts = remote == null ? null : new CachedHosts(remote);
    }

    /** Null when the file system is to be stock HDFS. */
    static @Nullable MemoryClient of(Configuration conf) {
        ReadSetup read = ReadSetup.of(conf);
        return read == null ? null : new MemoryClient(read);
    }

    /** Counts that Hadoop's classes do not fit, so that the file system is stock HDFS. */
    static void notLinked(LinkageError why) {
        ReadSetup.notLinked(why);
    }

    /** What FileSystem uses; null, counted, where Hadoop's classes do not fit. */
    @Nullable
    DFSClient newClient(URI uri, Configuration conf, FileSystem.Statistics statistics) throws IOException {
        try {
            WriteSetup write = WriteSetup.of(read.readConf());
            return new TerraceDfsClient(uri, conf, write.conf(), statistics, read.readRouter(), write.writes());
        } catch (LinkageError e) {
            ReadSetup.notLinked(e);
            return null;
        }
    }

    /** What FileContext uses; null, counted, where Hadoop's classes do not fit. */
    @Nullable
    AbstractFileSystem hdfs(URI uri, Configuration conf) throws IOException, URISyntaxException {
        try {
            WriteSetup write = WriteSetup.of(read.readConf());
            return new TerraceHdfs(uri, conf, write.conf(), read.readRouter(), write.writes());
        } catch (LinkageError e) {
            ReadSetup.notLinked(e);
            return null;
        }
    }

    /** Adds cached hosts for what is in memory without a directive. */
    BlockLocation[] addHosts(BlockLocation[] locations) throws IOException {
        CachedHosts hosts = cachedHosts;
        return hosts == null ? locations : hosts.addTo(locations);
    }

    /** Adds cached hosts for what is in memory without a directive. */
    RemoteIterator<LocatedFileStatus> addHosts(RemoteIterator<LocatedFileStatus> listing) {
        CachedHosts hosts = cachedHosts;
        return hosts == null ? listing : RemoteIterators.mappingRemoteIterator(listing, hosts::addTo);
    }

    /** Tells the DataNodes of other hosts what was read, since the process may end next. */
    void report() {
        RemoteDataNodes dataNodes = remote;
        if (dataNodes != null) {
            dataNodes.report();
        }
    }
}
