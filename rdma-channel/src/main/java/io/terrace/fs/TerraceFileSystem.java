package io.terrace.fs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.TerraceDfsClient;
import org.jspecify.annotations.Nullable;

/**
 * HDFS whose reads look for a copy in memory first: {@code fs.hdfs.impl}.
 *
 * <p>Everything else is inherited: writes, erasure coding, encryption zones, snapshots, append, hedged reads. With {@code
 * terrace.enabled} false, with a setting that is refused, or where Hadoop's own classes are another release's or another
 * class loader's, it is stock HDFS; {@link #readsMemoryFirst} says which.
 */
public final class TerraceFileSystem extends DistributedFileSystem {
    private boolean readsMemoryFirst;

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
        super.initialize(uri, conf);
        @Nullable ReadSetup setup = ReadSetup.of(conf);
        if (setup == null) {
            return;
        }
        try {
            new TerraceDfsClient(uri, setup.clientConf(), statistics, setup.memoryFirst()).replaceClientOf(this);
            readsMemoryFirst = true;
        } catch (LinkageError e) {
            ReadSetup.notLinked(e);
        }
    }

    /** Whether reads look for memory first, or this is stock HDFS. */
    public boolean readsMemoryFirst() {
        return readsMemoryFirst;
    }
}
