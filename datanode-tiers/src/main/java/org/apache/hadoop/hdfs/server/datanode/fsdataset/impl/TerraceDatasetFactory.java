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
        return HadoopFit.ofDataNode().fits(LOG)
                ? Terrace.dataset(datanode, storage, conf)
                : super.newInstance(datanode, storage, conf);
    }

    /** Apart, because a JVM that checks a class may load what it names. */
    private static final class Terrace {
        static FsDatasetImpl dataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
            return new TerraceDataset(datanode, storage, conf);
        }
    }
}
