package io.terrace.bench.soak;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.HdfsCluster;
import io.terrace.bench.conformance.jars.OlderLibhadoop;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;

/**
 * Stock's short-circuit reads of one client, which zero-copy reads are mapped by. The other client reads from stock over tcp,
 * through links that fail. Only what a cache directive pins is mapped: of other blocks, a mapping has no checksums.
 */
final class ShortCircuit {
    /** Name of the client. */
    static final String CLIENT = "c1";

    /** A third of each tier: the policy places what it likes in the rest. */
    private static final long PINNED_BYTES = SoakCluster.DATANODES * SoakCluster.MEMORY_BYTES / 3;

    private static final String LIBRARY = "libhadoop.so";
    private static final String POOL = "soak";

    private ShortCircuit() {}

    /**
     * A directory with libhadoop, and with the classes that an older one needs; empty where the build has unpacked none for this
     * processor.
     *
     * @param root the checkout
     * @param target is made
     */
    static Optional<Path> libhadoop(Path root, Path target) throws IOException {
        Path library = OlderLibhadoop.unpackedIn(root).resolve(LIBRARY);
        if (!Files.isRegularFile(library)) {
            return Optional.empty();
        }
        Files.createDirectories(target);
        Files.createSymbolicLink(target.resolve(LIBRARY), library.toAbsolutePath());
        Path hadoopCommon = hadoopCommon();
        if (OlderLibhadoop.isOlder(library, hadoopCommon)) {
            OlderLibhadoop.fit(hadoopCommon, target);
        }
        return Optional.of(target);
    }

    private static Path hadoopCommon() throws IOException {
        try {
            return Path.of(Configuration.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IOException("hadoop-common's jar has no path", e);
        }
    }

    /** Properties of the client, as {@code key=value}. */
    static List<String> clientProperties(ClusterLayout layout) {
        return List.of(
                "dfs.client.read.shortcircuit=true",
                "dfs.domain.socket.path=" + layout.shortCircuit(),
                // A DataNode that is back is asked again at once, not after ten minutes.
                "dfs.domain.socket.disable.interval.seconds=1",
                // What is kept open for later reads must not look like a leak.
                "dfs.client.read.shortcircuit.streams.cache.size=16",
                "dfs.client.mmap.cache.size=16");
    }

    /** Has all replicas pinned of some files, whichever come first. */
    static void pin(HdfsCluster cluster, List<String> dirs) throws IOException {
        try (DistributedFileSystem fs = (DistributedFileSystem)
                FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.confStock())) {
            fs.addCachePool(new CachePoolInfo(POOL).setLimit(PINNED_BYTES));
            for (String dir : dirs) {
                long unused = fs.addCacheDirective(new CacheDirectiveInfo.Builder()
                        .setPath(new org.apache.hadoop.fs.Path(dir))
                        .setPool(POOL)
                        .setReplication((short) SoakCluster.DATANODES)
                        .build());
            }
        }
    }
}
