package io.terrace.datanode.memory;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.writethrough.DraftFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of copies whose blocks are being written, in a directory of their own beside the extents: no next process takes
 * them for copies. Thread-safe.
 */
public final class CopyDrafts implements DraftFiles {
    private static final Logger LOG = LoggerFactory.getLogger(CopyDrafts.class);

    private final Path directory;
    private final MemoryDirectory copies;
    private final AtomicLong lastNumber = new AtomicLong();

    /** Removes what an earlier process left there. */
    CopyDrafts(Path directory, MemoryDirectory copies) throws IOException {
        this.directory = directory;
        this.copies = copies;
        List<Path> left;
        try (Stream<Path> entries = Files.list(directory)) {
            left = entries.toList();
        }
        for (Path file : left) {
            Files.delete(file);
        }
    }

    @Override
    public Draft create() throws IOException {
        Path file = directory.resolve("draft_" + lastNumber.incrementAndGet());
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new Draft(file, FileChannel.open(file, options, MemoryDirectory.forOwner()));
    }

    @Override
    public void adopt(Draft draft, Extent extent) throws IOException {
        draft.file().close();
        copies.adopt(draft.path(), extent);
    }

    @Override
    public boolean remove(Draft draft) {
        try {
            draft.file().close();
            Files.deleteIfExists(draft.path());
            return true;
        } catch (IOException e) {
            LOG.warn("Cannot remove {}: its memory stays in use until the DataNode starts again", draft.path(), e);
            return false;
        }
    }
}
