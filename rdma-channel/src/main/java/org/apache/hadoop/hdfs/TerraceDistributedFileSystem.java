package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose client may be another one than stock's. Stock makes its client in a package-private method, so this class
 * stands in its package. Where another class loader has loaded Hadoop, that method is not overridden and nobody asks {@link
 * #newClient}. Compiled for Java 8.
 */
public abstract class TerraceDistributedFileSystem extends DistributedFileSystem {

    /** The client of a file system that is being initialised; null for stock's. */
    protected abstract @Nullable DFSClient newClient(URI nameNode, Configuration conf) throws IOException;

    @Override
    void initDFSClient(URI nameNode, Configuration conf) throws IOException {
        DFSClient client = newClient(nameNode, conf);
        if (client == null) {
            super.initDFSClient(nameNode, conf);
        } else {
            dfs = client;
        }
    }
}
