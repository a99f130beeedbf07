package io.terrace.bench.measure;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * One way to read: a file system of its own with its own caches, so that contenders do not warm each other up.
 *
 * @param name for tables
 * @param fs reads by that way
 */
public record ClientVariant(String name, FileSystem fs) implements Closeable {
    /**
     * @param conf of the client, copied
     * @param changes properties over it
     */
    public static ClientVariant open(String name, Configuration conf, Map<String, String> changes) throws IOException {
        Configuration own = new Configuration(conf);
        changes.forEach(own::set);
        // Caches of file descriptors and short-circuit slots belong to this context.
        own.set("dfs.client.context", "bench-" + name);
        return new ClientVariant(name, FileSystem.newInstance(URI.create(own.get("fs.defaultFS")), own));
    }

    @Override
    public void close() throws IOException {
        fs.close();
    }
}
