package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.terrace.compat.HadoopFit;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the DataNode's dataset: Terrace's, or stock's where Terrace does not fit this Hadoop.
 *
 * <p>Set as {@code dfs.datanode.fsdataset.factory}. Compiled for Java 8, so that an older JVM loads it.
 */
public final class TerraceDatasetFactory extends FsDatasetFactory {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceDatasetFactory.class);

    @Override
    public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
        if (!HadoopFit.ofDataNode().fits(LOG)) {
            return super.newInstance(datanode, storage, conf);
        }
        try {
            return Terrace.dataset(datanode, storage, conf);
        } catch (LinkageError e) {
            // The check looks at Hadoop's and Terrace's classes, not at those of other libraries.
            LOG.error(
                    "A class that Terrace needs is missing or does not fit, check the DataNode's class path:"
                            + " the DataNode runs with the stock dataset",
                    e);
            return super.newInstance(datanode, storage, conf);
        }
    }

    /** Apart, because a JVM that checks a class may load what it names. */
    private static final class Terrace {
        static FsDatasetImpl dataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
            return new TerraceDataset(datanode, storage, conf);
        }
    }
}
