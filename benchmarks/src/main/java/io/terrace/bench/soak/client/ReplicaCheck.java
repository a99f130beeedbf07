package io.terrace.bench.soak.client;

import io.terrace.bench.faults.Waits;
import io.terrace.bench.faults.WrittenReplicas;
import io.terrace.bench.faults.WrittenReplicas.Fault;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Compares every replica of every file with what its writer wrote, in the volumes of DataNodes, while nobody writes and nothing is
 * broken. Readers take one replica each.
 */
public final class ReplicaCheck {
    /** A DataNode that is back is told within seconds what it lacks, and what it has too many of. */
    private static final long WITHIN_NS = TimeUnit.SECONDS.toNanos(60);

    private static final long LOOK_MS = 1_000;

    private final DistributedFileSystem fs;
    private final Path journals;
    private final WrittenReplicas replicas;
    private final Report report;

    /**
     * @param journals directory of those of all writers
     * @param out takes lines {@code REPLICAS}
     */
    public ReplicaCheck(DistributedFileSystem fs, Path journals, WrittenReplicas replicas, PrintStream out) {
        this.fs = fs;
        this.journals = journals;
        this.replicas = replicas;
        this.report = new Report(out);
    }

    /**
     * Looks at all files until nothing is wrong, at most for a minute; then says what is.
     *
     * @return number of files of which all replicas are right
     */
    public int run(long seed) throws IOException {
        long startNs = System.nanoTime();
        List<ReadFile.Source> all = files(seed);
        List<ReadFile.Source> left = all;
        while (true) {
            Map<ReadFile.Source, Fault> faults = faults(left);
            if (faults.isEmpty()) {
                return all.size();
            }
            if (System.nanoTime() - startNs > WITHIN_NS) {
                faults.forEach((file, fault) -> report.replicas(file.path(), fault));
                return all.size() - faults.size();
            }
            left = List.copyOf(faults.keySet());
            Waits.pause(LOOK_MS);
        }
    }

    /** All that are closed; their blocks may be in snapshots too. */
    private List<ReadFile.Source> files(long seed) throws IOException {
        List<ReadFile.Source> files = new ArrayList<>();
        for (SoakReader.WriterFiles writer : FullCheck.writers(journals, seed)) {
            try (Journal journal = writer.journal()) {
                for (FileState file : List.copyOf(journal.catchUp().files())) {
                    if (file.phase() == FileState.Phase.CLOSED) {
                        files.add(SoakReader.source(writer, file));
                    }
                }
            }
        }
        return files;
    }

    private Map<ReadFile.Source, Fault> faults(List<ReadFile.Source> files) throws IOException {
        Map<ReadFile.Source, Fault> faults = new HashMap<>();
        Map<String, List<Path>> found;
        try {
            found = replicas.files();
        } catch (IOException moving) {
            Fault fault = new Fault(WrittenReplicas.Kind.MISSING, 0, moving.toString());
            files.forEach(file -> faults.put(file, fault));
            return faults;
        }
        for (ReadFile.Source file : files) {
            fault(file, found).ifPresent(fault -> faults.put(file, fault));
        }
        return faults;
    }

    private Optional<Fault> fault(ReadFile.Source file, Map<String, List<Path>> found) {
        try {
            short replication =
                    fs.getFileStatus(new org.apache.hadoop.fs.Path(file.path())).getReplication();
            LocatedBlocks blocks = fs.getClient().getLocatedBlocks(file.path(), 0, Long.MAX_VALUE);
            return replicas.fault(
                    blocks.getLocatedBlocks(),
                    replication,
                    (position, target) -> file.state().fill(file.content(), position, target, target.length),
                    found);
        } catch (IOException gone) {
            // As a replica that was just moved or removed.
            return Optional.of(new Fault(WrittenReplicas.Kind.MISSING, 0, gone.toString()));
        }
    }
}
