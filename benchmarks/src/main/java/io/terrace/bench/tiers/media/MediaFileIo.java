package io.terrace.bench.tiers.media;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/**
 * Stock's access to files, where whoever opens the data file of a replica waits for as long as its medium takes to read it
 * to its end, which is what the benchmark's readers and moves do. One wait for each read: many short ones on the way make
 * the loopback interface delay acknowledgements. Thread-safe.
 */
final class MediaFileIo extends FileIoProvider {

    private static final String META = ".meta";

    /** How a DataNode names the thread that sends a replica to a client. */
    private static final String SENDING = " [Sending block ";

    private final MediaFigures figures = MediaFigures.registered();
    private final Map<String, MediumQueue> queues = new ConcurrentHashMap<>();

    MediaFileIo(Configuration conf, DataNode datanode) {
        super(conf, datanode);
    }

    @Override
    public FileInputStream openAndSeek(@Nullable FsVolumeSpi volume, File file, long offset) throws IOException {
        FileInputStream stream = super.openAndSeek(volume, file, offset);
        if (volume != null && !file.getName().endsWith(META)) {
            long bytes = Math.max(0, file.length() - offset);
            StorageType type = volume.getStorageType();
            queues.computeIfAbsent(volume.getStorageID(), id -> new MediumQueue(Medium.of(type)))
                    .read(bytes);
            if (Thread.currentThread().getName().contains(SENDING)) {
                figures.sent(type, bytes);
            }
        }
        return stream;
    }
}
