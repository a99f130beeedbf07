package org.apache.hadoop.fs;

import io.terrace.client.read.ReadRouter;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.TerraceDfsClient;

/**
 * Stock HDFS for FileContext with a client whose streams look for memory first.
 *
 * <p>Touches package-private members of Hadoop 3.5: only {@link io.terrace.fs} uses it, inside one guard for
 * LinkageErrors.
 */
public final class TerraceHdfs extends Hdfs {
    public TerraceHdfs(URI uri, Configuration conf, Configuration readConf, ReadRouter readRouter)
            throws IOException, URISyntaxException {
        super(uri, conf);
        DFSClient before = dfs;
        dfs = new TerraceDfsClient(uri, conf, readConf, getStatistics(), readRouter);
        before.close();
    }
}
