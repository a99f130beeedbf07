package io.terrace.bench.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/** A Hadoop configuration directory: {@code core-site.xml}, {@code hdfs-site.xml} and {@code log4j.properties}. */
public final class ConfDir {
    private ConfDir() {}

    /**
     * Writes the directory anew.
     *
     * @param logging resource beside this class that becomes {@code log4j.properties}
     */
    public static void write(Path dir, Map<String, String> properties, String logging) throws IOException {
        Files.createDirectories(dir);
        Configuration core = new Configuration(false);
        Configuration hdfs = new Configuration(false);
        properties.forEach((key, value) -> (isCore(key) ? core : hdfs).set(key, value));
        store(core, dir.resolve("core-site.xml"));
        store(hdfs, dir.resolve("hdfs-site.xml"));
        try (InputStream in = ConfDir.class.getResourceAsStream(logging)) {
            if (in == null) {
                throw new IllegalStateException("resource " + logging + " is missing from the benchmarks jar");
            }
            Files.copy(in, dir.resolve("log4j.properties"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Hadoop's defaults with the files of this directory over them. */
    public static Configuration read(Path dir) {
        Configuration conf = new HdfsConfiguration();
        conf.addResource(
                new org.apache.hadoop.fs.Path(dir.resolve("core-site.xml").toUri()));
        conf.addResource(
                new org.apache.hadoop.fs.Path(dir.resolve("hdfs-site.xml").toUri()));
        return conf;
    }

    private static boolean isCore(String key) {
        return key.startsWith("fs.") || key.startsWith("hadoop.") || key.startsWith("ipc.");
    }

    private static void store(Configuration conf, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            conf.writeXml(out);
        }
    }
}
