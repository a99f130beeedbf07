package io.terrace.bench.tiers.media;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.ReflectionUtils;

/** Makes the dataset that a DataNode has in any case, over media of set speed. */
public final class MediaDatasetFactory extends FsDatasetSpi.Factory<FsDatasetSpi<? extends FsVolumeSpi>> {

    /** The factory of the dataset itself. */
    private static final String FACTORY_KEY = "bench.media.factory";

    private static final String PACKAGE = "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.";

    /** What a DataNode needs to be told. */
    public static Map<String, String> settings(boolean terrace) {
        return Map.of(
                "dfs.datanode.fsdataset.factory",
                MediaDatasetFactory.class.getName(),
                FACTORY_KEY,
                PACKAGE + (terrace ? "TerraceDatasetFactory" : "FsDatasetFactory"));
    }

    @Override
    public FsDatasetSpi<? extends FsVolumeSpi> newInstance(DataNode datanode, DataStorage storage, Configuration conf)
            throws IOException {
        slow(datanode, conf);
        @SuppressWarnings("rawtypes")
        Class<? extends FsDatasetSpi.Factory> factory = conf.getClass(FACTORY_KEY, null, FsDatasetSpi.Factory.class);
        if (factory == null) {
            throw new IOException("set " + FACTORY_KEY + " to the class that makes the dataset");
        }
        return ReflectionUtils.newInstance(factory, conf).newInstance(datanode, storage, conf);
    }

    /** Hadoop has hooks there, but their classes cannot be configured. */
    private static void slow(DataNode datanode, Configuration conf) throws IOException {
        try {
            Field field = DataNode.class.getDeclaredField("fileIoProvider");
            field.setAccessible(true);
            FileIoProvider media = new MediaFileIo(conf, datanode);
            field.set(datanode, media);
        } catch (ReflectiveOperationException e) {
            throw new IOException("media cannot be modelled with this Hadoop", e);
        }
    }
}
