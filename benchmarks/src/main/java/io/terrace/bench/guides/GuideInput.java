package io.terrace.bench.guides;

import io.terrace.bench.apps.ServedBytes;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The file that an application reads.
 *
 * @param path in HDFS
 */
record GuideInput(String path, long lengthBytes) {
    /** Clients report what they read so much later at the latest. */
    private static final long REPORT_MS = 3_000;

    /** Something that reads the file. */
    interface Reader {
        void read() throws IOException, InterruptedException;
    }

    /** The largest file below a directory. */
    static GuideInput largest(LocalCluster cluster, String directory) throws IOException {
        GuideInput largest = new GuideInput("", 0);
        try (FileSystem fs = FileSystem.newInstance(cluster.confStock())) {
            RemoteIterator<LocatedFileStatus> files = fs.listFiles(new Path(directory), true);
            while (files.hasNext()) {
                LocatedFileStatus file = files.next();
                if (file.getLen() > largest.lengthBytes) {
                    largest = new GuideInput(file.getPath().toUri().getPath(), file.getLen());
                }
            }
        }
        if (largest.lengthBytes == 0) {
            throw new ClusterException(directory + " has no file with bytes");
        }
        return largest;
    }

    /** Bytes that came from memory while somebody read, at most as many as he had to read, and their share of these. */
    double share(LocalCluster cluster, int passes, Reader reader) throws IOException, InterruptedException {
        ServedBytes before = ServedBytes.of(cluster);
        reader.read();
        JavaProcess.pause(REPORT_MS);
        long granted = ServedBytes.of(cluster).since(before).grantedBytes();
        return Math.min(1, (double) granted / (passes * lengthBytes));
    }
}
