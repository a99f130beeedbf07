package io.terrace.datanode.writethrough;

import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Files of copies whose blocks are being written. Thread-safe. */
public interface DraftFiles {
    /** One of them, open for writing. */
    record Draft(Path path, FileChannel file) {}

    /** Makes an empty one. */
    Draft create() throws IOException;

    /** It holds the whole block, and becomes the extent's file. */
    void adopt(Draft draft, Extent extent) throws IOException;

    /** Removes it; false when it is still there. */
    boolean remove(Draft draft);
}
