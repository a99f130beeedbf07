package io.terrace.bench.tiers.media;

import java.io.Closeable;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/**
 * Stock's access to files, where whoever opens the data file of a replica waits for as long as its medium takes to read it
 * to its end, which is what the benchmark's readers and moves do; whoever has written one waits when it is closed, which is before
 * the client hears that it is written. One wait for each replica: many short ones on the way make the loopback interface
 * delay acknowledgements. Thread-safe.
 */
final class MediaFileIo extends FileIoProvider {

    private static final String META = ".meta";

    /** How a DataNode names the thread that sends a replica to a client. */
    private static final String SENDING = " [Sending block ";

    private final MediaFigures figures = MediaFigures.registered();
    private final Map<String, MediumQueue> queues = new ConcurrentHashMap<>();
    /** Of open files with checksums: they are small, and no wait of their own. */
    private final Set<FileDescriptor> sums =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    MediaFileIo(Configuration conf, DataNode datanode) {
        super(conf, datanode);
    }

    @Override
    public FileInputStream openAndSeek(@Nullable FsVolumeSpi volume, File file, long offset) throws IOException {
        FileInputStream stream = super.openAndSeek(volume, file, offset);
        if (volume != null && !file.getName().endsWith(META)) {
            long bytes = Math.max(0, file.length() - offset);
            StorageType type = volume.getStorageType();
            queue(volume).serve(bytes);
            if (Thread.currentThread().getName().contains(SENDING)) {
                figures.sent(type, bytes);
            }
        }
        return stream;
    }

    private MediumQueue queue(FsVolumeSpi volume) {
        return queues.computeIfAbsent(volume.getStorageID(), id -> new MediumQueue(Medium.of(volume.getStorageType())));
    }

    /** HDFS opens the two files of a replica that it writes, and asks for streams by their descriptors. */
    @Override
    public RandomAccessFile getRandomAccessFile(@Nullable FsVolumeSpi volume, File file, String mode)
            throws FileNotFoundException {
        RandomAccessFile opened = super.getRandomAccessFile(volume, file, mode);
        if (file.getName().endsWith(META)) {
            try {
                sums.add(opened.getFD());
            } catch (IOException e) {
                throw new IllegalStateException("an open file has no descriptor", e);
            }
        }
        return opened;
    }

    @Override
    public FileOutputStream getFileOutputStream(@Nullable FsVolumeSpi volume, FileDescriptor descriptor) {
        return volume == null || sums.contains(descriptor)
                ? super.getFileOutputStream(volume, descriptor)
                : new WrittenReplica(descriptor, queue(volume));
    }

    /** The data file of a replica that is being written. */
    private static final class WrittenReplica extends FileOutputStream {
        private final MediumQueue queue;
        private long bytes;
        private boolean closed;

        WrittenReplica(FileDescriptor descriptor, MediumQueue queue) {
            super(descriptor);
            this.queue = queue;
        }

        @Override
        public void write(int one) throws IOException {
            super.write(one);
            bytes++;
        }

        @Override
        public void write(byte[] all) throws IOException {
            write(all, 0, all.length);
        }

        @Override
        public void write(byte[] some, int from, int length) throws IOException {
            super.write(some, from, length);
            bytes += length;
        }

        @Override
        public void close() throws IOException {
            try (Closeable file = super::close) {
                if (!closed && bytes > 0) {
                    queue.serve(bytes);
                }
            } finally {
                closed = true;
            }
        }
    }
}
