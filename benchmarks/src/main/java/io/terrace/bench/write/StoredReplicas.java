package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
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

    private final List<Path> volumes;

    StoredReplicas(LocalCluster cluster) {
        this.volumes = IntStream.rangeClosed(1, cluster.spec().datanodes())
                .mapToObj(number -> cluster.layout().home(ClusterLayout.datanode(number)))
                .toList();
    }

    /** Waits until the DataNodes have removed all: no file may be left. */
    void awaitGone() throws IOException {
        long deadlineNs = System.nanoTime() + LIMIT_NS;
        for (Path volume : volumes) {
            while (holdsReplica(volume)) {
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new IOException("replicas of files that were deleted are still in " + volume);
                }
                JavaProcess.pause(POLL_MS);
            }
        }
    }

    private static boolean holdsReplica(Path volume) throws IOException {
        try (Stream<Path> files = Files.walk(volume)) {
            return files.anyMatch(file -> String.valueOf(file.getFileName()).startsWith("blk_"));
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                // It was removed meanwhile.
                return true;
            }
            throw e.getCause();
        }
    }
}
