package io.terrace.bench.versions;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.util.VersionInfo;

/**
 * A client in a process of its own, with another Hadoop's jars: writes a file and reads it, then reads one that is in memory.
 * Prints what it read.
 *
 * <p>Arguments: the hot file's path, number and length; the path of its own file; and settings, as {@code key=value}.
 */
final class ReadingClient {
    /** Begins the line with the result: bytes read of the hot file, bytes of these from memory, wrong bytes of both. */
    static final String RESULT = "read ";

    private static final int OWN_NUMBER = 7;

    private ReadingClient() {}

    public static void main(String[] arguments) throws IOException {
        KnownFile hot = new KnownFile(arguments[0], Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
        KnownFile own = new KnownFile(arguments[3], OWN_NUMBER, hot.lengthBytes() / 2 + 1);
        Configuration conf = new HdfsConfiguration();
        for (int i = 4; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            conf.set(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        try (FileSystem fs = FileSystem.get(conf)) {
            own.write(fs);
            KnownFile.Read back = own.read(fs);
            KnownFile.Read read = hot.read(fs);
            System.out.println(
                    "Hadoop " + VersionInfo.getVersion() + ", " + fs.getClass().getName());
            System.out.println(
                    RESULT + read.bytes() + " " + read.memoryBytes() + " " + (read.wrongBytes() + back.wrongBytes()));
        }
    }
}
