package io.terrace.fs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.TerraceHdfs;
import org.jspecify.annotations.Nullable;

/**
 * HDFS for FileContext whose reads look for a copy in memory first: {@code fs.AbstractFileSystem.hdfs.impl}. What {@link
 * TerraceFileSystem} is for FileSystem, and stock HDFS under the same conditions.
 */
public final class TerraceAbstractFileSystem extends FilterFs {
    static final String IMPLEMENTATION_KEY = "fs.AbstractFileSystem.hdfs.impl";
    private static final String STOCK = "org.apache.hadoop.fs.Hdfs";

    /** The signature that Hadoop looks for. */
    public TerraceAbstractFileSystem(URI uri, Configuration conf) throws IOException, URISyntaxException {
        super(open(uri, conf));
    }

    private static AbstractFileSystem open(URI uri, Configuration conf) throws IOException, URISyntaxException {
        @Nullable ReadSetup setup = ReadSetup.of(conf);
        if (setup != null) {
            try {
                return new TerraceHdfs(uri, conf, setup.clientConf(), setup.memoryFirst());
            } catch (LinkageError e) {
                ReadSetup.notLinked(e);
            }
        }
        Configuration stock = new Configuration(conf);
        stock.set(IMPLEMENTATION_KEY, STOCK);
        return createFileSystem(uri, stock);
    }

    /** In pages, as stock; FilterFs would collect the whole directory. */
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return getMyFs().listStatusIterator(path);
    }
}
