package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the DataNode's dataset: Terrace's, or stock's where Terrace does not fit this Hadoop.
 *
 * <p>Set as {@code dfs.datanode.fsdataset.factory}.
 */
public final class TerraceDatasetFactory extends FsDatasetFactory {

    private static final Logger LOG = LoggerFactory.getLogger(TerraceDatasetFactory.class);

    @Override
    public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
        try {
            return new TerraceDataset(datanode, storage, conf);
        } catch (LinkageError e) {
            LOG.error("Terrace does not fit this Hadoop: the DataNode runs with the stock dataset", e);
            return super.newInstance(datanode, storage, conf);
        }
    }
}
