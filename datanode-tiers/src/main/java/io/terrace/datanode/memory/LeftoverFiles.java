package io.terrace.datanode.memory;

import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;

/** The files that an earlier process left. The tmpfs directory is one implementation, files in memory for simulations another. */
public interface LeftoverFiles {

    /** Copies of an earlier process. */
    List<MemoryDirectory.Leftover> leftovers() throws IOException;

    /** Opens one for reading. */
    FileChannel open(MemoryDirectory.Leftover leftover) throws IOException;

    /** Makes a leftover the file of an extent. */
    void adopt(MemoryDirectory.Leftover leftover, Extent extent) throws IOException;

    /** Deletes a leftover. */
    void discard(MemoryDirectory.Leftover leftover) throws IOException;
}
