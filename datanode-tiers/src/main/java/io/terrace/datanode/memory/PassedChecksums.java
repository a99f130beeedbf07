package io.terrace.datanode.memory;

import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentState;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meta files that go to stock short-circuit clients with the descriptors of copies. An append or a truncation changes
 * the replica's meta file in place, while a copy stays what it was; so a client that verifies what it has open needs the
 * meta file as it was too.
 *
 * <p>For each copy whose descriptor is passed there is one snapshot, made when it is first passed and removed with the copy.
 * It takes what the replica's meta file takes, a 128th of the block by default. Thread-safe.
 */
public final class PassedChecksums {

    private static final Logger LOG = LoggerFactory.getLogger(PassedChecksums.class);
    private static final int PIECE_BYTES = 64 << 10;

    private final Path directory;
    private final AtomicLong lastDraft = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** By the number of the copy: what the snapshot takes. */
    private final Map<Long, Long> kept = new ConcurrentHashMap<>();

    /** Removes what an earlier process left in the directory, which is its own. */
    PassedChecksums(Path directory) throws IOException {
        this.directory = directory;
        List<Path> left;
        try (Stream<Path> entries = Files.list(directory)) {
            left = entries.toList();
        }
        for (Path file : left) {
            Files.delete(file);
        }
    }

    /**
     * Opens the snapshot of a copy, which must be lent meanwhile. The first caller makes it.
     *
     * @param replicas where the copy's replica is
     * @return null when the replica changed before there was one
     * @throws IOException if the meta file cannot be read, or there is no room for the snapshot
     */
    public @Nullable FileInputStream open(Extent copy, ReplicaSource replicas) throws IOException {
        if (!kept.containsKey(copy.number()) && !keep(copy, replicas)) {
            return null;
        }
        return new FileInputStream(file(copy).toFile());
    }

    private boolean keep(Extent copy, ReplicaSource replicas) throws IOException {
        Path draft = directory.resolve("draft_" + lastDraft.incrementAndGet());
        try (ReplicaSource.OpenReplica replica = replicas.open(copy.version())) {
            long length = write(replica.meta(), draft);
            // Whoever changes a replica tells before: what was read while the copy is live belongs to it.
            if (copy.state() != ExtentState.LIVE) {
                return false;
            }
            // Two callers at once make the same file.
            Files.move(draft, file(copy), StandardCopyOption.ATOMIC_MOVE);
            long pages = AddressSpace.PAGE_BYTES;
            long takesBytes = (length + pages - 1) / pages * pages;
            if (kept.putIfAbsent(copy.number(), takesBytes) == null) {
                bytes.addAndGet(takesBytes);
            }
            return true;
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static long write(ReadableByteChannel meta, Path draft) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel file = FileChannel.open(draft, options, MemoryDirectory.forOwner())) {
            while (meta.read(piece) >= 0) {
                piece.flip();
                while (piece.hasRemaining()) {
                    file.write(piece);
                }
                piece.clear();
            }
            return file.size();
        }
    }

    /** Removes the snapshot of a copy that nobody reads any more, if there is one; false if that failed. */
    public boolean remove(Extent copy) {
        try {
            Long tookBytes = kept.get(copy.number());
            if (tookBytes != null) {
                Files.deleteIfExists(file(copy));
                kept.remove(copy.number());
                bytes.addAndGet(-tookBytes);
            }
            return true;
        } catch (IOException e) {
            LOG.warn("Cannot remove {}: it is tried again", file(copy), e);
            return false;
        }
    }

    /** What all snapshots take of the file system. */
    public long bytes() {
        return bytes.get();
    }

    private Path file(Extent copy) {
        return directory.resolve("sums_" + copy.number());
    }
}
