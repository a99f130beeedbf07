package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.faults.FullBlockReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files of replicas on the volumes of a cluster. DataNodes remove them some seconds after a file was deleted. That takes them
 * processor time, almost half as much as to write them, which would count to what is measured then.
 */
final class StoredReplicas {
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long POLL_MS = 50;
    private static final int MOST_NAMED = 4;

    /** What is there for longer, the NameNode may have forgotten: it has it deleted after the next full report. */
    private static final long FORGOTTEN_NS = TimeUnit.SECONDS.toNanos(20);

    private final LocalCluster cluster;
    private final List<Path> volumes;

    StoredReplicas(LocalCluster cluster) {
        this.cluster = cluster;
        this.volumes = IntStream.rangeClosed(1, cluster.spec().datanodes())
                .mapToObj(number -> cluster.layout().home(ClusterLayout.datanode(number)))
                .toList();
    }

    /** Waits until the DataNodes have removed all: no file may be left. */
    void awaitGone() throws IOException {
        long beganNs = System.nanoTime();
        boolean reported = false;
        for (Path volume : volumes) {
            List<Path> left = replicas(volume);
            while (!left.isEmpty()) {
                long waitedNs = System.nanoTime() - beganNs;
                if (waitedNs > LIMIT_NS) {
                    throw new IOException("of files that were deleted, DataNodes keep " + left
                            + " through a full block report; see their logs for why");
                }
                if (waitedNs > FORGOTTEN_NS && !reported) {
                    FullBlockReports.send(cluster, cluster.confStock());
                    reported = true;
                }
                JavaProcess.pause(POLL_MS);
                left = replicas(volume);
            }
        }
    }

    /** The first few files of replicas. */
    private static List<Path> replicas(Path volume) throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(volume)) {
                return files.filter(file -> String.valueOf(file.getFileName()).startsWith("blk_"))
                        .limit(MOST_NAMED)
                        .toList();
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e.getCause();
                }
                // A file was removed meanwhile.
            }
        }
    }
}
