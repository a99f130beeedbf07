package io.terrace.fs;

import io.terrace.compat.JvmFit;
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
import org.jspecify.annotations.Nullable;

/**
 * HDFS for FileContext whose reads look for a copy in memory first: {@code fs.AbstractFileSystem.hdfs.impl}. What {@link
 * TerraceFileSystem} is for FileSystem, stock HDFS under the same conditions, and compiled for Java 8 too.
 */
public final class TerraceAbstractFileSystem extends FilterFs {
    static final String IMPLEMENTATION_KEY = "fs.AbstractFileSystem.hdfs.impl";
    private static final String STOCK = "org.apache.hadoop.fs.Hdfs";

    private final @Nullable MemoryClient memory;

    /** What is opened, and its client; null for stock HDFS. */
    private static final class Opened {
        final AbstractFileSystem fs;
        final @Nullable MemoryClient memory;

        Opened(AbstractFileSystem fs, @Nullable MemoryClient memory) {
            this.fs = fs;
            this.memory = memory;
        }
    }

    /** The signature that Hadoop looks for. */
    public TerraceAbstractFileSystem(URI uri, Configuration conf) throws IOException, URISyntaxException {
        this(open(uri, conf));
    }

    private TerraceAbstractFileSystem(Opened opened) throws URISyntaxException {
        super(opened.fs);
        this.memory = opened.memory;
    }

    private static Opened open(URI uri, Configuration conf) throws IOException, URISyntaxException {
        MemoryClient client = JvmFit.ofClient() ? MemoryClient.of(conf) : null;
        AbstractFileSystem hdfs = client == null ? null : client.hdfs(uri, conf);
        if (hdfs != null) {
            return new Opened(hdfs, client);
        }
        Configuration stock = new Configuration(conf);
        stock.set(IMPLEMENTATION_KEY, STOCK);
        return new Opened(createFileSystem(uri, stock), null);
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    public BlockLocation[] getFileBlockLocations(Path path, long start, long length) throws IOException {
        BlockLocation[] locations = super.getFileBlockLocations(path, start, length);
        return memory == null || locations == null ? locations : memory.addHosts(locations);
    }

    /** As stock, and cached hosts for what is in memory without a directive. */
    @Override
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
        RemoteIterator<LocatedFileStatus> listing = super.listLocatedStatus(path);
        return memory == null ? listing : memory.addHosts(listing);
    }

    /** In pages, as stock; FilterFs would collect the whole directory. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return getMyFs().listStatusIterator(path);
    }
}
