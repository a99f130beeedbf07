package org.apache.hadoop.fs;

import io.terrace.client.read.ReadRouter;
import io.terrace.client.write.WriteClient;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.TerraceDfsClient;
import org.jspecify.annotations.Nullable;

/**
 * Stock HDFS for FileContext with a client whose streams look for memory first.
 *
 * <p>Touches package-private members of Hadoop 3.5: only {@link io.terrace.fs} uses it, inside one guard for
 * LinkageErrors.
 */
public final class TerraceHdfs extends Hdfs {
    public TerraceHdfs(
            URI uri, Configuration conf, Configuration ownConf, ReadRouter readRouter, @Nullable WriteClient writes)
            throws IOException, URISyntaxException {
        super(uri, conf);
        DFSClient before = dfs;
        dfs = new TerraceDfsClient(uri, conf, ownConf, getStatistics(), readRouter, writes);
        before.close();
    }
}
